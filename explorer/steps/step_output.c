#include "explorer/steps/step_table_parts.h"

#include <stdlib.h>
#include <string.h>

/* Numbers modulo the Mersenne prime 2^61 - 1. */
static const uint64_t prime = (UINT64_C(1) << 61) - 1, base = 0x1b873593cc9e2d51u % ((UINT64_C(1) << 61) - 1);

/* Of less than 2^125. */
static uint64_t reduce(unsigned __int128 number) {
    const uint64_t high = (uint64_t)(number >> 61), sum = ((uint64_t)number & prime) + (high & prime) + (high >> 61);
    const uint64_t once = (sum & prime) + (sum >> 61);
    return once < prime ? once : once - prime;
}

/* h * B + byte + 1 for each byte, so that it does not matter in which pieces bytes come. Of many, eight are added at a time, as
 * their products do not wait for each other. */
static uint64_t hash_append(uint64_t hash, const char *bytes, size_t size) {
    enum { AT_A_TIME = 8, MANY = 64 };
    size_t i = 0;
    if (size >= MANY) {
        uint64_t power[AT_A_TIME + 1] = {1};
        for (int k = 1; k <= AT_A_TIME; k++)
            power[k] = reduce((unsigned __int128)power[k - 1] * base);
        for (; i + AT_A_TIME <= size; i += AT_A_TIME) {
            unsigned __int128 sum = (unsigned __int128)hash * power[AT_A_TIME];
            for (int k = 0; k < AT_A_TIME; k++)
                sum += (unsigned __int128)power[AT_A_TIME - 1 - k] * ((uint64_t)(unsigned char)bytes[i + (size_t)k] + 1);
            hash = reduce(sum);
        }
    }
    for (; i < size; i++)
        hash = reduce((unsigned __int128)hash * base + (unsigned char)bytes[i] + 1);
    return hash;
}

const struct output *output_append(struct step_table *table, const struct output *before, uint32_t stream, const void *bytes,
                                   size_t size) {
    struct output *output = step_table_own(table, sizeof *output + size);
    output->before = before;
    if (before)
        memcpy(output->hash, before->hash, sizeof output->hash);
    output->hash[stream - 1] = hash_append(output->hash[stream - 1], bytes, size);
    output->stream = stream;
    output->size = size;
    memcpy(output->bytes, bytes, size);
    return output;
}

uint64_t output_hash(const struct output *output) { return output ? name_of(output->hash, sizeof output->hash).low : 0; }

char *step_table_output(const struct step_table *table, uint32_t local, int stream, size_t *size) {
    size_t total = 0;
    for (const struct output *at = table->local[local].output; at; at = at->before)
        if (at->stream == (uint32_t)stream)
            total += at->size;
    char *text = memory_take(total + 1);
    text[total] = 0;
    *size = total;
    for (const struct output *at = table->local[local].output; at; at = at->before)
        if (at->stream == (uint32_t)stream) {
            total -= at->size;
            memcpy(text + total, at->bytes, at->size);
        }
    return text;
}

struct written_files step_table_files(const struct step_table *table, uint32_t local) {
    struct written_files files = {0};
    for (const struct output *piece = table->local[local].output; piece; piece = piece->before)
        files.count += piece->stream == STREAM_FILES;
    files.file = memory_take_zeroed((files.count + 1) * sizeof *files.file);
    size_t at = files.count;
    for (const struct output *piece = table->local[local].output; piece; piece = piece->before) {
        if (piece->stream != STREAM_FILES)
            continue;
        struct wire_file wire;
        memcpy(&wire, piece->bytes, sizeof wire);
        const char *path = piece->bytes + sizeof wire;
        files.file[--at] = (struct written_file){.path = memory_take_zeroed(wire.path_size + 1u),
                                                 .state = wire.state,
                                                 .bytes = path + wire.path_size,
                                                 .size = wire.size};
        memcpy(files.file[at].path, path, wire.path_size);
    }
    return files;
}

uint64_t step_table_output_hash(const struct step_table *table, uint32_t local) {
    return output_hash(table->local[local].output);
}
