#include "explorer/step_table.h"

#include "explorer/memory.h"

#include <stdlib.h>
#include <string.h>

/* A piece of output and what came before it. Hashes are polynomial and not a library's because they must not depend on how
 * the bytes were cut into writes: appending needs only the hash so far. */
struct output {
    const struct output *before;
    uint64_t hash[2]; /* of stdout and stderr up to here */
    uint32_t stream, size;
    char bytes[];
};

struct local {
    uint32_t image_root;
    uint32_t origin; /* step by which it was first reached, NAME_UNKNOWN for a root */
    const struct output *output;
};

struct step {
    uint32_t local, resolution;
    struct step_result *result; /* NULL: not executed */
};

struct payload {
    uint64_t size;
    char *bytes;
};

struct step_table {
    struct mpi_model *model;
    struct sites *sites;
    struct local *local;
    size_t locals, local_room;
    struct step *step;
    size_t steps, step_room;
    struct payload *payload;
    size_t payloads, payload_room;
    const struct resolution **resolution;
    size_t resolutions, resolution_room;
    struct name_table local_names, step_names, payload_names, resolution_names;
    void **owned; /* outputs and results, freed at the end */
    size_t owned_count, owned_room;
    uint64_t payload_bytes, other_bytes;
};

static void *own(struct step_table *table, size_t bytes) {
    void *block = memory_take_zeroed(bytes);
    table->owned = memory_room(table->owned, &table->owned_room, table->owned_count, sizeof *table->owned);
    table->owned[table->owned_count++] = block;
    table->other_bytes += bytes;
    return block;
}

struct step_table *step_table_create(struct mpi_model *model, struct sites *sites) {
    struct step_table *table = memory_take_zeroed(sizeof *table);
    table->model = model;
    table->sites = sites;
    return table;
}

void step_table_set_model(struct step_table *table, struct mpi_model *model) { table->model = model; }

void step_table_destroy(struct step_table *table) {
    for (size_t i = 0; i < table->owned_count; i++)
        free(table->owned[i]);
    for (size_t i = 0; i < table->payloads; i++)
        free(table->payload[i].bytes);
    free(table->owned);
    free(table->local);
    free(table->step);
    free(table->payload);
    free(table->resolution);
    name_table_free(&table->local_names);
    name_table_free(&table->step_names);
    name_table_free(&table->payload_names);
    name_table_free(&table->resolution_names);
    free(table);
}

/* --- output ---------------------------------------------------------------------------------------------------------- */

/* h * B + byte modulo the Mersenne prime 2^61 - 1. */
static uint64_t hash_append(uint64_t hash, const char *bytes, size_t size) {
    const uint64_t prime = (1ull << 61) - 1, base = 0x1b873593cc9e2d51u % prime;
    for (size_t i = 0; i < size; i++) {
        unsigned __int128 product = (unsigned __int128)hash * base + (unsigned char)bytes[i] + 1;
        hash = (uint64_t)(product % prime);
    }
    return hash;
}

static const struct output *append_output(struct step_table *table, const struct output *before, uint32_t stream,
                                          const void *bytes, size_t size) {
    struct output *output = own(table, sizeof *output + size);
    output->before = before;
    if (before)
        memcpy(output->hash, before->hash, sizeof output->hash);
    unsigned which = stream == 2;
    output->hash[which] = hash_append(output->hash[which], bytes, size);
    output->stream = stream;
    output->size = (uint32_t)size;
    memcpy(output->bytes, bytes, size);
    return output;
}

static uint64_t output_hash(const struct output *output) {
    return output ? name_of(output->hash, sizeof output->hash).low : 0;
}

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

uint64_t step_table_output_hash(const struct step_table *table, uint32_t local) {
    return output_hash(table->local[local].output);
}

/* --- local states ---------------------------------------------------------------------------------------------------- */

static uint32_t intern_local(struct step_table *table, uint32_t image_root, const struct output *output, uint32_t origin) {
    struct name name = {image_root, output_hash(output)};
    uint32_t number = name_table_find(&table->local_names, name);
    if (number != NAME_UNKNOWN)
        return number;
    table->local = memory_room(table->local, &table->local_room, table->locals, sizeof *table->local);
    table->local[table->locals] = (struct local){image_root, origin, output};
    name_table_add(&table->local_names, name, (uint32_t)table->locals);
    return (uint32_t)table->locals++;
}

uint32_t step_table_local(struct step_table *table, uint32_t image_root, uint32_t before) {
    return intern_local(table, image_root, before == NAME_UNKNOWN ? NULL : table->local[before].output, NAME_UNKNOWN);
}

uint32_t step_table_add_output(struct step_table *table, uint32_t local, int stream, const void *bytes, size_t size) {
    const struct output *output = append_output(table, table->local[local].output, (uint32_t)stream, bytes, size);
    return intern_local(table, table->local[local].image_root, output, table->local[local].origin);
}

uint32_t step_table_image_root(const struct step_table *table, uint32_t local) { return table->local[local].image_root; }
uint32_t step_table_origin(const struct step_table *table, uint32_t local) { return table->local[local].origin; }
size_t step_table_locals(const struct step_table *table) { return table->locals; }

/* --- payloads -------------------------------------------------------------------------------------------------------- */

uint64_t step_table_payload_size(void *table, uint32_t payload) {
    return payload == NO_PAYLOAD ? 0 : ((struct step_table *)table)->payload[payload].size;
}

static uint32_t intern_payload(struct step_table *table, const void *bytes, uint64_t size) {
    struct name name = name_of(bytes, size);
    name.high ^= size * 0x9e3779b97f4a7c15u;
    uint32_t number = name_table_find(&table->payload_names, name);
    if (number != NAME_UNKNOWN)
        return number;
    table->payload = memory_room(table->payload, &table->payload_room, table->payloads, sizeof *table->payload);
    table->payload[table->payloads] = (struct payload){size, memory_copy(bytes, size)};
    table->payload_bytes += size;
    name_table_add(&table->payload_names, name, (uint32_t)table->payloads);
    return (uint32_t)table->payloads++;
}

/* --- resolutions and steps ------------------------------------------------------------------------------------------- */

static uint32_t intern_resolution(struct step_table *table, const struct resolution *resolution) {
    size_t size = sizeof *resolution + resolution->completions * sizeof *resolution->completion;
    struct name name = name_of(resolution, size);
    uint32_t number = name_table_find(&table->resolution_names, name);
    if (number != NAME_UNKNOWN)
        return number;
    struct resolution *copy = own(table, size);
    memcpy(copy, resolution, size);
    table->resolution =
        memory_room(table->resolution, &table->resolution_room, table->resolutions, sizeof *table->resolution);
    table->resolution[table->resolutions] = copy;
    name_table_add(&table->resolution_names, name, (uint32_t)table->resolutions);
    return (uint32_t)table->resolutions++;
}

uint32_t step_table_step(struct step_table *table, uint32_t local, const struct resolution *resolution) {
    uint32_t number = intern_resolution(table, resolution);
    struct name name = {local, number};
    uint32_t step = name_table_find(&table->step_names, name);
    if (step != NAME_UNKNOWN)
        return step;
    table->step = memory_room(table->step, &table->step_room, table->steps, sizeof *table->step);
    table->step[table->steps] = (struct step){local, number, NULL};
    name_table_add(&table->step_names, name, (uint32_t)table->steps);
    return (uint32_t)table->steps++;
}

const struct step_result *step_table_result(const struct step_table *table, uint32_t step) {
    return table->step[step].result;
}

uint32_t step_table_step_local(const struct step_table *table, uint32_t step) { return table->step[step].local; }

static size_t pad(size_t n) { return (n + 7) / 8 * 8; }

size_t step_table_write_answer(const struct step_table *table, uint32_t step, void *area, size_t room) {
    const struct resolution *resolution = table->resolution[table->step[step].resolution];
    struct wire_resolution head = {.kind = resolution->kind, .completions = resolution->completions};
    char *at = area;
    memcpy(at, &head, sizeof head);
    at += sizeof head;
    for (uint32_t i = 0; i < resolution->completions; i++) {
        const struct completion *from = &resolution->completion[i];
        struct wire_completion to = {.index = from->index,
                                     .source = from->source,
                                     .tag = from->tag,
                                     .cancelled = from->cancelled,
                                     .claim = from->claim};
        if (from->payload != NO_PAYLOAD) {
            to.size = table->payload[from->payload].size;
            to.data = from->with_data ? to.size : 0;
        }
        if (sizeof to + pad(to.data) > room - (size_t)(at - (char *)area))
            return 0;
        memcpy(at, &to, sizeof to);
        at += sizeof to;
        if (to.data)
            memcpy(at, table->payload[from->payload].bytes, to.data);
        memset(at + to.data, 0, pad(to.data) - to.data); /* a rank may keep an answer whole */
        at += pad(to.data);
    }
    return (size_t)(at - (char *)area);
}

/* --- reports --------------------------------------------------------------------------------------------------------- */

/* One pass over the records of a report; `ok` falls at the first one that is not well formed. */
struct reader {
    struct step_table *table;
    const char *at, *end; /* of the record's body */
    bool ok;
    const struct output *output;
    struct operation *operation;
    size_t operations, operation_room;
    uint32_t *part;
    size_t parts, part_room;
    struct step_result *result;
};

static const void *take(struct reader *reader, size_t bytes) {
    if ((size_t)(reader->end - reader->at) < bytes) {
        reader->ok = false;
        return NULL;
    }
    const void *taken = reader->at;
    reader->at += bytes;
    return taken;
}

static bool known_rank(int32_t rank, const int32_t *member, uint32_t members) {
    for (uint32_t i = 0; i < members; i++)
        if (member[i] == rank)
            return true;
    return false;
}

static void read_context(struct reader *reader) {
    const struct wire_context *context = take(reader, sizeof *context);
    const int32_t *member = context ? take(reader, context->members * sizeof *member) : NULL;
    if (!member)
        return;
    for (uint32_t i = 0; i < context->members; i++)
        if (member[i] < 0 || member[i] >= MAX_RANKS || known_rank(member[i], member, i))
            reader->ok = false;
    if (reader->ok)
        mpi_model_context(reader->table->model, context->context, member, context->members);
}

static void read_parts(struct reader *reader, uint32_t parts) {
    for (uint32_t i = 0; i < parts && reader->ok; i++) {
        const uint64_t *size = take(reader, sizeof *size);
        const void *bytes = size && *size <= (uint64_t)(reader->end - reader->at) ? take(reader, pad(*size)) : NULL;
        if (!bytes) {
            reader->ok = false;
            return;
        }
        reader->part = memory_room(reader->part, &reader->part_room, reader->parts, sizeof *reader->part);
        reader->part[reader->parts++] = intern_payload(reader->table, bytes, *size);
    }
}

static void read_operation(struct reader *reader) {
    const struct wire_operation *wire = take(reader, sizeof *wire);
    if (!wire)
        return;
    bool collective = wire->kind == WIRE_COLLECTIVE;
    struct operation operation = {
        .kind = wire->kind,
        .mode = wire->mode,
        .function = wire->function,
        .request = wire->request,
        .context = mpi_model_context(reader->table->model, wire->context, NULL, 0),
        .peer = wire->peer,
        .tag = wire->tag,
        .site = sites_intern(reader->table->sites, wire->site),
        .capacity = wire->capacity,
        .agreement = wire->agreement,
        .parts = wire->parts,
    };
    size_t first = reader->parts;
    read_parts(reader, wire->parts);
    operation.payload = collective ? (uint32_t)first : wire->parts ? reader->part[first] : NO_PAYLOAD;
    reader->operation =
        memory_room(reader->operation, &reader->operation_room, reader->operations, sizeof *reader->operation);
    reader->operation[reader->operations++] = operation;
}

static void read_call(struct reader *reader) {
    const struct wire_call *wire = take(reader, sizeof *wire);
    const uint32_t *request = wire ? take(reader, wire->requests * sizeof *request) : NULL;
    if (!request)
        return;
    uint32_t *copy = own(reader->table, wire->requests * sizeof *request + 1);
    memcpy(copy, request, wire->requests * sizeof *request);
    bool has_context = wire->kind >= WIRE_CALL_PROBE;
    reader->result->call = (struct call){
        .kind = wire->kind,
        .function = wire->function,
        .requests = wire->requests,
        .request = copy,
        .context = has_context ? mpi_model_context(reader->table->model, wire->context, NULL, 0) : 0,
        .peer = wire->peer,
        .tag = wire->tag,
        .site = sites_intern(reader->table->sites, wire->site),
    };
}

static void read_end(struct reader *reader) {
    const struct wire_end *wire = take(reader, sizeof *wire);
    const char *text = wire ? take(reader, wire->text_size) : NULL;
    if (!text)
        return;
    char *copy = own(reader->table, wire->text_size + 1u);
    memcpy(copy, text, wire->text_size);
    reader->result->ended = true;
    reader->result->end = *wire;
    reader->result->end.class_name[sizeof wire->class_name - 1] = 0;
    reader->result->end.site = sites_intern(reader->table->sites, wire->site);
    reader->result->end.leak_site = wire->leak_site ? sites_intern(reader->table->sites, wire->leak_site) : 0;
    for (size_t i = 0; i < sizeof wire->place / sizeof *wire->place; i++)
        if (wire->place[i].function)
            reader->result->end.place[i].site = sites_intern(reader->table->sites, wire->place[i].site);
    reader->result->end_text = copy;
}

static void read_output(struct reader *reader) {
    const struct wire_output *wire = take(reader, sizeof *wire);
    const char *bytes = wire ? take(reader, wire->size) : NULL;
    if (bytes)
        reader->output = append_output(reader->table, reader->output, wire->stream, bytes, wire->size);
}

/* Reads all records; true if the last one, and only it, ended the step. */
static bool read_records(struct reader *reader, const char *report, size_t size) {
    bool ended = false;
    for (size_t at = 0; at < size && reader->ok && !ended;) {
        const struct wire_record *record = (const struct wire_record *)(report + at);
        if (size - at < sizeof *record || record->size < sizeof *record || record->size > size - at || record->size % 8)
            return false;
        reader->at = (const char *)(record + 1);
        reader->end = report + at + record->size;
        switch (record->kind) {
        case WIRE_CONTEXT: read_context(reader); break;
        case WIRE_OPERATION: read_operation(reader); break;
        case WIRE_OUTPUT: read_output(reader); break;
        case WIRE_CALL: read_call(reader); ended = true; break;
        case WIRE_END: read_end(reader); ended = true; break;
        default: return false;
        }
        at += record->size;
    }
    return ended && reader->ok;
}

bool step_table_finish(struct step_table *table, uint32_t step, uint32_t image_root, const void *report, size_t size) {
    const struct local *before = &table->local[table->step[step].local];
    struct step_result *result = own(table, sizeof *result);
    struct reader reader = {.table = table, .ok = true, .output = before->output, .result = result};
    uint32_t root = before->image_root, origin = before->origin;
    bool ok = read_records(&reader, report, size);
    if (ok) {
        struct operation *operation = own(table, reader.operations * sizeof *operation + 1);
        if (reader.operations)
            memcpy(operation, reader.operation, reader.operations * sizeof *operation);
        uint32_t *part = own(table, reader.parts * sizeof *part + 1);
        if (reader.parts)
            memcpy(part, reader.part, reader.parts * sizeof *part);
        result->operation = operation;
        result->operations = (uint32_t)reader.operations;
        result->part = part;
        result->local = intern_local(table, result->ended ? root : image_root, reader.output, result->ended ? origin : step);
        table->step[step].result = result;
    }
    free(reader.operation);
    free(reader.part);
    return ok;
}

void step_table_finish_lost(struct step_table *table, uint32_t step, enum wire_end_kind kind) {
    struct step_result *result = own(table, sizeof *result);
    result->local = table->step[step].local;
    result->ended = true;
    result->end = (struct wire_end){.kind = (uint8_t)kind};
    result->end_text = "";
    table->step[step].result = result;
}

struct step_table_statistics step_table_statistics(const struct step_table *table) {
    uint64_t tables = table->local_room * sizeof *table->local + table->step_room * sizeof *table->step +
                      table->payload_room * sizeof *table->payload + name_table_bytes(&table->local_names) +
                      name_table_bytes(&table->step_names) + name_table_bytes(&table->payload_names) +
                      name_table_bytes(&table->resolution_names);
    return (struct step_table_statistics){.local_states = table->locals,
                                          .steps = table->steps,
                                          .payloads = table->payloads,
                                          .payload_bytes = table->payload_bytes,
                                          .bytes = tables + table->payload_bytes + table->other_bytes};
}
