#include "explorer/step_table.h"

#include "ckpt/block_store.h"
#include "explorer/end_place.h"
#include "explorer/memory.h"
#include "models/mpi/signatures.h"

#include <stdlib.h>
#include <string.h>

/* What a rank writes: the streams of the wire and, as it exits, its files. A file is one piece: a struct wire_file, path and
 * content. */
enum { STREAM_FILES = WIRE_STREAMS_END, STREAMS = STREAM_FILES };

/* A piece of output and what came before it. Hashes are polynomial and not a library's because they must not depend on how
 * the bytes were cut into writes: appending needs only the hash so far. */
struct output {
    const struct output *before;
    uint64_t hash[STREAMS]; /* of each stream up to here */
    uint32_t stream;
    size_t size;
    char bytes[];
};

struct local {
    uint32_t image_root;
    uint16_t rank, program;
    uint32_t origin; /* step by which it was first reached, NAME_UNKNOWN for a root */
    const struct output *output;
    uint32_t log; /* allocation log, BLOCK_NONE: none */
    struct local_story story;
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
    const struct step_result **result; /* by number */
    size_t results, result_room;
    uint32_t *met; /* local states by the numbers that users know, less 1 */
    size_t met_count, met_room;
    void **owned; /* outputs and results, freed at the end */
    size_t owned_count, owned_room;
    uint64_t payload_bytes, other_bytes;
    struct file_uses file_uses;
    char *refusal; /* the first conflict between the ranks' uses of files */
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
    free(table->met);
    free(table->result);
    free(table->step);
    free(table->payload);
    free(table->resolution);
    file_uses_free(&table->file_uses);
    free(table->refusal);
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
    output->hash[stream - 1] = hash_append(output->hash[stream - 1], bytes, size);
    output->stream = stream;
    output->size = size;
    memcpy(output->bytes, bytes, size);
    return output;
}

static uint64_t output_hash(const struct output *output) { return output ? name_of(output->hash, sizeof output->hash).low : 0; }

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

/* --- local states ---------------------------------------------------------------------------------------------------- */

/* What tells the local states of one output apart. Ranks of one program never share an image: their number is in their memory. */
static uint64_t image_name(unsigned program, uint32_t image_root) { return (uint64_t)program << 32 | image_root; }
/* A rank that has ended well, and whose memory does not count any more. */
static uint64_t ended_name(unsigned rank) { return (uint64_t)1 << 63 | rank; }

static uint32_t intern_local(struct step_table *table, uint64_t distinct, unsigned rank, unsigned program, uint32_t image_root,
                             const struct output *output, uint32_t origin) {
    struct name name = {distinct, output_hash(output)};
    uint32_t number = name_table_find(&table->local_names, name);
    if (number != NAME_UNKNOWN)
        return number;
    table->local = memory_room(table->local, &table->local_room, table->locals, sizeof *table->local);
    table->local[table->locals] = (struct local){.image_root = image_root,
                                                 .rank = (uint16_t)rank,
                                                 .program = (uint16_t)program,
                                                 .origin = origin,
                                                 .output = output,
                                                 .log = BLOCK_NONE};
    name_table_add(&table->local_names, name, (uint32_t)table->locals);
    return (uint32_t)table->locals++;
}

uint32_t step_table_root(struct step_table *table, unsigned rank, unsigned program, uint32_t image_root) {
    return intern_local(table, image_name(program, image_root), rank, program, image_root, NULL, NAME_UNKNOWN);
}

unsigned step_table_rank(const struct step_table *table, uint32_t local) { return table->local[local].rank; }
unsigned step_table_program(const struct step_table *table, uint32_t local) { return table->local[local].program; }

uint32_t step_table_add_output(struct step_table *table, uint32_t local, int stream, const void *bytes, size_t size) {
    const struct local before = table->local[local];
    const struct output *output = append_output(table, before.output, (uint32_t)stream, bytes, size);
    return intern_local(table, image_name(before.program, before.image_root), before.rank, before.program, before.image_root,
                        output, before.origin);
}

uint32_t step_table_image_root(const struct step_table *table, uint32_t local) { return table->local[local].image_root; }
uint32_t step_table_log(const struct step_table *table, uint32_t local) { return table->local[local].log; }
void step_table_set_log(struct step_table *table, uint32_t local, uint32_t log) {
    if (table->local[local].log == BLOCK_NONE)
        table->local[local].log = log;
}
uint32_t step_table_origin(const struct step_table *table, uint32_t local) { return table->local[local].origin; }
size_t step_table_locals(const struct step_table *table) { return table->locals; }

/* --- the numbers that users know ------------------------------------------------------------------------------------- */

/* Which executor finishes first is chance; what the search asks for, and in which order, is not. */
static void meet(struct step_table *table, uint32_t local, struct local_story story) {
    if (table->local[local].story.number)
        return;
    table->met = memory_room(table->met, &table->met_room, table->met_count, sizeof *table->met);
    table->met[table->met_count++] = local;
    story.number = (uint32_t)table->met_count;
    table->local[local].story = story;
}

void step_table_meet_root(struct step_table *table, uint32_t local, uint32_t rank, uint16_t function, uint64_t site) {
    meet(table, local,
         (struct local_story){
             .rank = rank, .function = function, .site = sites_intern(table->sites, table->local[local].program, site)});
}

void step_table_meet(struct step_table *table, uint32_t step) {
    const struct step_result *result = table->step[step].result;
    struct local_story story = table->local[table->step[step].local].story;
    story.ended = result->ended;
    if (!result->ended) {
        story.function = result->call.function;
        story.site = result->call.site;
    }
    meet(table, result->local, story);
}

struct local_story step_table_story(const struct step_table *table, uint32_t local) {
    return table->local[local].story;
}

uint32_t step_table_numbered(const struct step_table *table, uint32_t number) {
    return number >= 1 && number <= table->met_count ? table->met[number - 1] : NAME_UNKNOWN;
}

uint32_t step_table_met(const struct step_table *table) { return (uint32_t)table->met_count; }

void step_table_save_met(const struct step_table *table, FILE *out) {
    fwrite(&table->met_count, sizeof table->met_count, 1, out);
    for (size_t i = 0; i < table->met_count; i++) {
        fwrite(&table->met[i], sizeof table->met[i], 1, out);
        fwrite(&table->local[table->met[i]].story, sizeof(struct local_story), 1, out);
    }
}

bool step_table_load_met(struct step_table *table, FILE *in) {
    size_t count;
    for (size_t i = 0; i < table->met_count; i++)
        table->local[table->met[i]].story = (struct local_story){0};
    table->met_count = 0;
    if (fread(&count, sizeof count, 1, in) != 1)
        return false;
    for (size_t i = 0; i < count; i++) {
        uint32_t local;
        struct local_story story;
        if (fread(&local, sizeof local, 1, in) != 1 || fread(&story, sizeof story, 1, in) != 1 || local >= table->locals)
            return false;
        story.number = 0;
        meet(table, local, story);
    }
    return true;
}

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
    table->resolution = memory_room(table->resolution, &table->resolution_room, table->resolutions, sizeof *table->resolution);
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

const struct step_result *step_table_result(const struct step_table *table, uint32_t step) { return table->step[step].result; }

const struct step_result *step_table_result_numbered(const struct step_table *table, uint32_t number) {
    return number < table->results ? table->result[number] : NULL;
}

uint32_t step_table_results(const struct step_table *table) { return (uint32_t)table->results; }

static void set_result(struct step_table *table, uint32_t step, struct step_result *result) {
    table->step[step].result = result;
    result->number = (uint32_t)table->results;
    table->result = memory_room(table->result, &table->result_room, table->results, sizeof *table->result);
    table->result[table->results++] = result;
}

uint32_t step_table_step_local(const struct step_table *table, uint32_t step) { return table->step[step].local; }

const struct resolution *step_table_resolution(const struct step_table *table, uint32_t step) {
    return table->resolution[table->step[step].resolution];
}

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
                                     .parts = (uint16_t)from->parts,
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
    unsigned rank, program;
    const char *at, *end; /* of the record's body */
    bool ok;
    const struct output *output;
    struct operation *operation;
    size_t operations, operation_room;
    uint32_t *part;
    size_t parts, part_room;
    const struct wire_stack *stack; /* where the rank was when it ended badly; NULL: not said */
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

static uint32_t site_number(const struct reader *reader, uint64_t address) {
    return sites_intern(reader->table->sites, reader->program, address);
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
    if (!reader->ok)
        return;
    uint32_t number = mpi_model_context(reader->table->model, context->context, member, context->members);
    mpi_model_groups(reader->table->model, number, context->first_group);
}

static void read_sources(struct reader *reader) {
    const struct wire_sources *sources = take(reader, sizeof *sources);
    const int32_t *source = sources ? take(reader, sources->sources * sizeof *source) : NULL;
    if (!source)
        return;
    uint32_t number = mpi_model_context(reader->table->model, sources->context, NULL, 0);
    mpi_model_sources(reader->table->model, number, sources->rank, source, sources->sources);
}

static void read_signature(struct reader *reader) {
    const struct wire_signature *signature = take(reader, sizeof *signature);
    const struct wire_run *run = signature ? take(reader, signature->runs * sizeof *run) : NULL;
    if (!run || !signature->runs) {
        reader->ok = false;
        return;
    }
    for (uint32_t i = 0; i < signature->runs; i++)
        reader->ok = reader->ok && run[i].bytes && run[i].type < BASIC_TYPE_count;
    if (reader->ok)
        mpi_model_signature(reader->table->model, signature->name, run, signature->runs);
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

/* A part that is a list of numbers for the model. */
static void read_numbers(struct reader *reader, uint64_t count) {
    const uint64_t *size = take(reader, sizeof *size);
    const uint32_t *number = NULL;
    if (size && count <= MAX_RANKS && *size == count * sizeof *number)
        number = take(reader, pad(*size));
    if (!number) {
        reader->ok = false;
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        reader->part = memory_room(reader->part, &reader->part_room, reader->parts, sizeof *reader->part);
        reader->part[reader->parts++] = number[i];
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
        .site = site_number(reader, wire->site),
        .capacity = wire->capacity,
        .agreement = wire->agreement,
    };
    uint32_t lists = 0;
    if (collective && wire->capacity > 0) {
        operation.empty = (uint32_t)reader->parts;
        operation.empties = (uint32_t)wire->capacity;
        read_numbers(reader, wire->capacity);
        lists = 1;
    }
    if (wire->parts < lists)
        reader->ok = false;
    operation.parts = wire->parts - lists;
    size_t first = reader->parts;
    read_parts(reader, operation.parts);
    operation.payload = collective ? (uint32_t)first : operation.parts ? reader->part[first] : NO_PAYLOAD;
    reader->operation = memory_room(reader->operation, &reader->operation_room, reader->operations, sizeof *reader->operation);
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
        .site = site_number(reader, wire->site),
    };
}

static void read_stack(struct reader *reader) {
    const struct wire_stack *wire = take(reader, sizeof *wire);
    if (wire && take(reader, wire->size))
        reader->stack = wire;
}

static void read_end(struct reader *reader) {
    const struct wire_end *wire = take(reader, sizeof *wire);
    const char *text = wire ? take(reader, wire->text_size) : NULL;
    if (!text)
        return;
    struct end_place place = end_place_find(sites_modules(reader->table->sites, reader->program), wire, reader->stack);
    size_t size = wire->text_size, told = strlen(place.text);
    char *copy = own(reader->table, size + told + 1u);
    memcpy(copy, text, size);
    memcpy(copy + size, place.text, told);
    reader->result->ended = true;
    reader->result->end = *wire;
    reader->result->end.class_name[sizeof wire->class_name - 1] = 0;
    reader->result->end.text_size = (uint32_t)(size + told);
    reader->result->end.site = site_number(reader, place.site);
    reader->result->end.handle_kind[sizeof wire->handle_kind - 1] = 0;
    reader->result->end.handle_site = site_number(reader, wire->handle_site);
    reader->result->end.leak_site = site_number(reader, wire->leak_site);
    for (size_t i = 0; i < sizeof wire->place / sizeof *wire->place; i++)
        if (wire->place[i].function)
            reader->result->end.place[i].site = site_number(reader, wire->place[i].site);
    reader->result->end_text = copy;
}

static void read_output(struct reader *reader) {
    const struct wire_output *wire = take(reader, sizeof *wire);
    const char *bytes = wire ? take(reader, wire->size) : NULL;
    if (!bytes)
        return;
    reader->ok = wire->stream > 0 && wire->stream < WIRE_STREAMS_END;
    if (reader->ok)
        reader->output = append_output(reader->table, reader->output, wire->stream, bytes, wire->size);
}

/* Free of "..", so that nobody is led out of the folder that files are kept in. */
static bool well_formed_path(const char *path, size_t size) {
    if (size == 0 || path[0] != '/' || memchr(path, 0, size))
        return false;
    for (size_t at = 0; at + 2 < size; at++)
        if (memcmp(path + at, "/..", 3) == 0 && (at + 3 == size || path[at + 3] == '/'))
            return false;
    return true;
}

static void read_file_use(struct reader *reader) {
    const struct wire_file_use *wire = take(reader, sizeof *wire);
    const char *path = wire ? take(reader, wire->size) : NULL;
    if (!path)
        return;
    reader->ok = well_formed_path(path, wire->size);
    if (reader->ok && !reader->table->refusal)
        reader->table->refusal = file_uses_add(&reader->table->file_uses, reader->rank, path, wire->size, wire->use);
}

static void read_file(struct reader *reader) {
    const char *whole = reader->at;
    const struct wire_file *wire = take(reader, sizeof *wire);
    const char *path = wire ? take(reader, wire->path_size) : NULL;
    const char *content = path && wire->size <= (uint64_t)(reader->end - reader->at) ? take(reader, wire->size) : NULL;
    reader->ok = content && well_formed_path(path, wire->path_size);
    if (reader->ok)
        reader->output =
            append_output(reader->table, reader->output, STREAM_FILES, whole, sizeof *wire + wire->path_size + wire->size);
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
        case WIRE_SOURCES: read_sources(reader); break;
        case WIRE_OPERATION: read_operation(reader); break;
        case WIRE_SIGNATURE: read_signature(reader); break;
        case WIRE_OUTPUT: read_output(reader); break;
        case WIRE_FILE_USE: read_file_use(reader); break;
        case WIRE_FILE: read_file(reader); break;
        case WIRE_FILES_ANEW: reader->output = NULL; break; /* agents write nothing else */
        case WIRE_STACK: read_stack(reader); break;
        case WIRE_CALL:
            read_call(reader);
            ended = true;
            break;
        case WIRE_END:
            read_end(reader);
            ended = true;
            break;
        default: return false;
        }
        at += record->size;
    }
    return ended && reader->ok;
}

static bool ended_well(struct wire_end end) { return end.kind == WIRE_EXIT && end.code == 0 && end.finalized; }

bool step_table_finish(struct step_table *table, uint32_t step, uint32_t image_root, const void *report, size_t size) {
    const struct local *before = &table->local[table->step[step].local];
    struct step_result *result = own(table, sizeof *result);
    struct reader reader = {.table = table,
                            .rank = before->rank,
                            .program = before->program,
                            .ok = true,
                            .output = before->output,
                            .result = result};
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
        bool stays = result->ended && image_root == BLOCK_NONE;
        uint64_t distinct = !stays                    ? image_name(reader.program, image_root)
                            : ended_well(result->end) ? ended_name(reader.rank)
                                                      : image_name(reader.program, root);
        size_t known = table->locals;
        result->local = intern_local(table, distinct, reader.rank, reader.program, stays ? root : image_root, reader.output,
                                     stays ? origin : step);
        if (stays && table->locals > known)
            step_table_set_log(table, result->local, table->local[table->step[step].local].log);
        set_result(table, step, result);
    }
    free(reader.operation);
    free(reader.part);
    return ok;
}

const char *step_table_refusal(const struct step_table *table) { return table->refusal; }

const struct file_uses *step_table_file_uses(const struct step_table *table) { return &table->file_uses; }

/* The call in which a local state is blocked: also of one that the search has not met. */
static struct local_story call_of(const struct step_table *table, uint32_t local) {
    struct local_story story = table->local[local].story;
    uint32_t origin = table->local[local].origin;
    const struct step_result *from = origin == NAME_UNKNOWN ? NULL : table->step[origin].result;
    if (!story.number && from && !from->ended) {
        story.function = from->call.function;
        story.site = from->call.site;
    }
    return story;
}

void step_table_finish_lost(struct step_table *table, uint32_t step, enum wire_end_kind kind) {
    struct step_result *result = own(table, sizeof *result);
    result->local = table->step[step].local;
    result->ended = true;
    struct local_story story = call_of(table, result->local); /* the call that the step began in */
    result->end = (struct wire_end){.kind = (uint8_t)kind, .function = story.function, .site = story.site};
    result->end_text = "";
    result->number = NAME_UNKNOWN;
    if (kind == WIRE_LOST)
        table->step[step].result = result;
    else
        set_result(table, step, result);
}

struct step_table_statistics step_table_statistics(const struct step_table *table) {
    uint64_t tables = table->local_room * sizeof *table->local + table->step_room * sizeof *table->step +
                      table->payload_room * sizeof *table->payload + name_table_bytes(&table->local_names) +
                      name_table_bytes(&table->step_names) + name_table_bytes(&table->payload_names) +
                      name_table_bytes(&table->resolution_names) + file_uses_bytes(&table->file_uses);
    return (struct step_table_statistics){.local_states = table->locals,
                                          .steps = table->steps,
                                          .payloads = table->payloads,
                                          .payload_bytes = table->payload_bytes,
                                          .bytes = tables + table->payload_bytes + table->other_bytes};
}
