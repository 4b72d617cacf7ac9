#include "ckpt/block_store.h"
#include "explorer/debug_information/end_place.h"
#include "explorer/steps/step_table_parts.h"
#include "models/mpi/signatures.h"

#include <stdlib.h>
#include <string.h>

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
    const struct wire_look *look;   /* NULL: it was not told to */
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

/* The program that a rank runs. The local states in which ranks begin come first. */
static unsigned program_of(const struct reader *reader, uint32_t rank) {
    const struct step_table *table = reader->table;
    for (size_t local = 0; local < table->locals; local++)
        if (table->local[local].rank == rank)
            return table->local[local].program;
    return reader->program;
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
        reader->ok = reader->ok && run[i].bytes && basic_type_is_known(run[i].type);
    if (reader->ok)
        mpi_model_signature(reader->table->model, signature->name, run, signature->runs);
}

static void read_touches(struct reader *reader) {
    const struct wire_touches *touches = take(reader, sizeof *touches);
    const struct wire_touch *touch = touches ? take(reader, touches->touches * sizeof *touch) : NULL;
    if (!touch || !touches->name) {
        reader->ok = false;
        return;
    }
    mpi_model_touches(reader->table->model, touches, touch);
}

static void read_meaning(struct reader *reader) {
    const struct wire_meaning *meaning = take(reader, sizeof *meaning);
    reader->ok = meaning && memchr(meaning->text, 0, sizeof meaning->text);
    if (reader->ok)
        mpi_model_meaning(reader->table->model, meaning->half, meaning->text);
}

static void read_looked(struct reader *reader) {
    reader->look = take(reader, sizeof *reader->look);
    reader->ok = reader->ok && reader->look->spans <= WIRE_SPANS_MOST && reader->look->looks <= UINT8_MAX;
}

static void read_parts(struct reader *reader, uint32_t parts) {
    for (uint32_t i = 0; i < parts && reader->ok; i++) {
        const uint64_t *size = take(reader, sizeof *size);
        const void *bytes = size && *size <= (uint64_t)(reader->end - reader->at) ? take(reader, wire_padded(*size)) : NULL;
        if (!bytes) {
            reader->ok = false;
            return;
        }
        reader->part = memory_room(reader->part, &reader->part_room, reader->parts, sizeof *reader->part);
        reader->part[reader->parts++] = step_table_payload(reader->table, bytes, *size);
    }
}

/* A part that is a list of numbers for the model. */
static void read_numbers(struct reader *reader, uint64_t count) {
    const uint64_t *size = take(reader, sizeof *size);
    const uint32_t *number = NULL;
    if (size && count <= MAX_RANKS && *size == count * sizeof *number)
        number = take(reader, wire_padded(*size));
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
        .unordered = wire->unordered != 0,
    };
    if ((wire->kind == WIRE_SEND || wire->mode == WIRE_CALM) && wire->context == WIRE_AGENTS_CONTEXT) {
        operation.agreement = 0;
        operation.touches = mpi_model_touches_named(reader->table->model, wire->agreement);
    }
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
    const size_t list = wire ? (1 + (size_t)wire->placed) * wire->requests * sizeof(uint32_t) : 0;
    const uint32_t *request = wire ? take(reader, list) : NULL;
    if (!request)
        return;
    uint32_t *copy = step_table_own(reader->table, list + 1);
    memcpy(copy, request, list);
    bool has_context = wire->kind >= WIRE_CALL_PROBE;
    reader->result->call = (struct call){
        .kind = wire->kind,
        .function = wire->function,
        .requests = wire->requests,
        .request = copy,
        .position = wire->placed ? copy + wire->requests : NULL,
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
    char *copy = step_table_own(reader->table, size + told + 1u);
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
            reader->result->end.place[i].site =
                sites_intern(reader->table->sites, program_of(reader, (uint32_t)wire->place[i].rank), wire->place[i].site);
    reader->result->end_text = copy;
}

static void read_output(struct reader *reader) {
    const struct wire_output *wire = take(reader, sizeof *wire);
    const char *bytes = wire ? take(reader, wire->size) : NULL;
    if (!bytes)
        return;
    reader->ok = wire->stream > 0 && wire->stream < WIRE_STREAMS_END;
    if (reader->ok)
        reader->output = output_append(reader->table, reader->output, wire->stream, bytes, wire->size);
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
        reader->table->refusal =
            file_uses_add(&reader->table->file_uses, reader->rank, path, wire->size, wire->use, wire->turn);
}

static void read_file_opening(struct reader *reader) {
    const struct wire_file_opening *wire = take(reader, sizeof *wire);
    const int32_t *member = wire ? take(reader, wire->members * sizeof *member) : NULL;
    const char *path = member ? take(reader, wire->size) : NULL;
    if (!path)
        return;
    reader->ok = well_formed_path(path, wire->size);
    for (uint32_t i = 0; i < wire->members; i++)
        reader->ok = reader->ok && member[i] >= 0 && member[i] < MAX_RANKS;
    if (reader->ok && !reader->table->refusal)
        reader->table->refusal = file_uses_add_opening(&reader->table->file_uses, path, wire->size, member, wire->members);
}

static void read_file(struct reader *reader) {
    const char *whole = reader->at;
    const struct wire_file *wire = take(reader, sizeof *wire);
    const char *path = wire ? take(reader, wire->path_size) : NULL;
    const char *content = path && wire->size <= (uint64_t)(reader->end - reader->at) ? take(reader, wire->size) : NULL;
    reader->ok = content && well_formed_path(path, wire->path_size);
    if (reader->ok)
        reader->output =
            output_append(reader->table, reader->output, STREAM_FILES, whole, sizeof *wire + wire->path_size + wire->size);
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
        case WIRE_TOUCHES: read_touches(reader); break;
        case WIRE_OUTPUT: read_output(reader); break;
        case WIRE_FILE_USE: read_file_use(reader); break;
        case WIRE_FILE_OPENING: read_file_opening(reader); break;
        case WIRE_FILE: read_file(reader); break;
        case WIRE_FILES_ANEW: reader->output = NULL; break; /* agents write nothing else */
        case WIRE_THREADS_CALL: rank_set_add(&reader->table->with_threads, reader->rank); break;
        case WIRE_LOOKED: read_looked(reader); break;
        case WIRE_STACK: read_stack(reader); break;
        case WIRE_MEANING: read_meaning(reader); break;
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
    struct step_result *result = step_table_own(table, sizeof *result);
    struct reader reader = {.table = table,
                            .rank = before->rank,
                            .program = before->program,
                            .ok = true,
                            .output = before->output,
                            .result = result};
    uint32_t root = before->image_root, origin = before->origin;
    bool ok = read_records(&reader, report, size);
    if (ok) {
        struct operation *operation = step_table_own(table, reader.operations * sizeof *operation + 1);
        if (reader.operations)
            memcpy(operation, reader.operation, reader.operations * sizeof *operation);
        uint32_t *part = step_table_own(table, reader.parts * sizeof *part + 1);
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
        result->local = step_table_local(table, distinct, reader.rank, reader.program, stays ? root : image_root, reader.output,
                                         stays ? origin : step);
        if (stays && table->locals > known)
            step_table_set_log(table, result->local, table->local[table->step[step].local].log);
        step_table_set_result(table, step, result);
        if (reader.look)
            step_table_make_look(table, step, reader.look);
    }
    free(reader.operation);
    free(reader.part);
    return ok;
}

const struct file_uses *step_table_file_uses(const struct step_table *table) { return &table->file_uses; }
const struct rank_set *step_table_with_threads(const struct step_table *table) { return &table->with_threads; }

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
    struct step_result *result = step_table_own(table, sizeof *result);
    result->local = table->step[step].local;
    result->ended = true;
    struct local_story story = call_of(table, result->local); /* the call that the step began in */
    result->end = (struct wire_end){.kind = (uint8_t)kind, .function = story.function, .site = story.site};
    result->end_text = "";
    result->number = NAME_UNKNOWN;
    if (kind == WIRE_LOST)
        table->step[step].result = result;
    else
        step_table_set_result(table, step, result);
}
