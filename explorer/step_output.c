#include "explorer/step_table_parts.h"

#include <stdlib.h>
#include <string.h>

/* h * B + byte modulo the Mersenne prime 2^61 - 1. */
static uint64_t hash_append(uint64_t hash, const char *bytes, size_t size) {
    const uint64_t prime = (1ull << 61) - 1, base = 0x1b873593cc9e2d51u % prime;
    for (size_t i = 0; i < size; i++) {
        unsigned __int128 product = (unsigned __int128)hash * base + (unsigned char)bytes[i] + 1;
        hash = (uint64_t)(product % prime);
    }
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
