#include "explorer/steps/step_table_parts.h"

#include "ckpt/block_store.h"

#include <stdlib.h>
#include <string.h>

void *step_table_own(struct step_table *table, size_t bytes) {
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
    free(table->ordered);
    free(table->part);
    free(table->look);
    file_uses_free(&table->file_uses);
    free(table->refusal);
    name_table_free(&table->local_names);
    name_table_free(&table->step_names);
    name_table_free(&table->payload_names);
    name_table_free(&table->resolution_names);
    name_table_free(&table->look_names);
    free(table);
}

/* --- local states ---------------------------------------------------------------------------------------------------- */

uint32_t step_table_local(struct step_table *table, uint64_t distinct, unsigned rank, unsigned program, uint32_t image_root,
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
    return step_table_local(table, image_name(program, image_root), rank, program, image_root, NULL, NAME_UNKNOWN);
}

unsigned step_table_rank(const struct step_table *table, uint32_t local) { return table->local[local].rank; }
unsigned step_table_program(const struct step_table *table, uint32_t local) { return table->local[local].program; }

uint32_t step_table_add_output(struct step_table *table, uint32_t local, int stream, const void *bytes, size_t size) {
    const struct local before = table->local[local];
    const struct output *output = output_append(table, before.output, (uint32_t)stream, bytes, size);
    return step_table_local(table, image_name(before.program, before.image_root), before.rank, before.program,
                            before.image_root, output, before.origin);
}

uint32_t step_table_image_root(const struct step_table *table, uint32_t local) { return table->local[local].image_root; }
uint32_t step_table_log(const struct step_table *table, uint32_t local) { return table->local[local].log; }
void step_table_set_log(struct step_table *table, uint32_t local, uint32_t log) {
    if (table->local[local].log == BLOCK_NONE)
        table->local[local].log = log;
}
uint32_t step_table_origin(const struct step_table *table, uint32_t local) { return table->local[local].origin; }
size_t step_table_locals(const struct step_table *table) { return table->locals; }

bool step_table_has_ends(const struct step_table *table) {
    for (size_t step = 0; step < table->steps; step++)
        if (table->step[step].result && table->step[step].result->ended)
            return true;
    return false;
}

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

const void *step_table_payload_bytes(const struct step_table *table, uint32_t payload, size_t *size) {
    *size = payload == NO_PAYLOAD ? 0 : table->payload[payload].size;
    return payload == NO_PAYLOAD ? "" : table->payload[payload].bytes;
}

uint32_t step_table_payload(struct step_table *table, const void *bytes, uint64_t size) {
    struct name name = name_of(bytes, size);
    name.high ^= size * 0x9e3779b97f4a7c15u;
    uint32_t number = name_table_find(&table->payload_names, name);
    if (number != NAME_UNKNOWN)
        return number;
    table->payload = memory_room(table->payload, &table->payload_room, table->payloads, sizeof *table->payload);
    table->payload[table->payloads] = (struct payload){size, name.low, memory_copy(bytes, size)};
    table->payload_bytes += size;
    name_table_add(&table->payload_names, name, (uint32_t)table->payloads);
    return (uint32_t)table->payloads++;
}

/* --- resolutions and steps ------------------------------------------------------------------------------------------- */

static uint32_t intern_resolution(struct step_table *table, const struct resolution *resolution) {
    size_t size = resolution_size(resolution);
    struct name name = name_of(resolution, size);
    uint32_t number = name_table_find(&table->resolution_names, name);
    if (number != NAME_UNKNOWN)
        return number;
    struct resolution *copy = step_table_own(table, size);
    memcpy(copy, resolution, size);
    table->resolution = memory_room(table->resolution, &table->resolution_room, table->resolutions, sizeof *table->resolution);
    table->resolution[table->resolutions] = copy;
    name_table_add(&table->resolution_names, name, (uint32_t)table->resolutions);
    return (uint32_t)table->resolutions++;
}

static bool is_any_unordered(const struct resolution *resolution) {
    uint32_t i = 0;
    while (i < resolution->completions && !resolution->completion[i].unordered)
        i++;
    return i < resolution->completions;
}

static int by_payload(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool are_of_one_size(const struct step_table *table, const uint32_t *payload, uint32_t payloads) {
    uint32_t i = 1;
    while (i < payloads && table->payload[payload[i]].size == table->payload[payload[0]].size)
        i++;
    return i >= payloads;
}

/* Who has brought which part of an unordered collective does not matter: as if in the order of the payloads' numbers. */
static void order_parts(struct step_table *table, struct completion *part, uint32_t parts) {
    if (parts == 0)
        return;
    if (table->part_room < parts)
        table->part = memory_resize(table->part, (table->part_room = parts) * sizeof *table->part);
    for (uint32_t i = 0; i < parts; i++)
        table->part[i] = part[i].payload;
    qsort(table->part, parts, sizeof *table->part, by_payload);
    if (table->part[parts - 1] == NO_PAYLOAD || !are_of_one_size(table, table->part, parts))
        return;
    for (uint32_t i = 0; i < parts; i++)
        part[i].payload = table->part[i];
}

static const struct resolution *put_in_order(struct step_table *table, const struct resolution *resolution) {
    if (!is_any_unordered(resolution))
        return resolution;
    const size_t size = resolution_size(resolution);
    if (table->ordered_room < size)
        table->ordered = memory_resize(table->ordered, table->ordered_room = size);
    struct resolution *ordered = memcpy(table->ordered, resolution, size);
    for (uint32_t first = 0, end; first < ordered->completions; first = end + 1) {
        for (end = first; end < ordered->completions && ordered->completion[end].unordered; end++)
            continue;
        order_parts(table, &ordered->completion[first], end - first);
    }
    return ordered;
}

uint32_t step_table_step(struct step_table *table, uint32_t local, const struct resolution *given) {
    const struct resolution *resolution = put_in_order(table, given);
    uint32_t number = intern_resolution(table, resolution);
    struct name name = {local, number};
    uint32_t step = name_table_find(&table->step_names, name);
    if (step != NAME_UNKNOWN)
        return step;
    table->step = memory_room(table->step, &table->step_room, table->steps, sizeof *table->step);
    table->step[table->steps] = (struct step){.local = local, .resolution = number};
    name_table_add(&table->step_names, name, (uint32_t)table->steps);
    return (uint32_t)table->steps++;
}

const struct step_result *step_table_result(const struct step_table *table, uint32_t step) { return table->step[step].result; }

const struct step_result *step_table_result_numbered(const struct step_table *table, uint32_t number) {
    return number < table->results ? table->result[number] : NULL;
}

uint32_t step_table_results(const struct step_table *table) { return (uint32_t)table->results; }

void step_table_set_result(struct step_table *table, uint32_t step, struct step_result *result) {
    table->step[step].result = result;
    result->number = (uint32_t)table->results;
    table->result = memory_room(table->result, &table->result_room, table->results, sizeof *table->result);
    table->result[table->results++] = result;
}

uint32_t step_table_step_local(const struct step_table *table, uint32_t step) { return table->step[step].local; }

const struct resolution *step_table_resolution(const struct step_table *table, uint32_t step) {
    return table->resolution[table->step[step].resolution];
}

void step_table_make_look(struct step_table *table, uint32_t step, const struct wire_look *look) {
    const struct name name = name_of(look, sizeof *look);
    uint32_t number = name_table_find(&table->look_names, name);
    if (number == NAME_UNKNOWN) {
        table->look = memory_room(table->look, &table->look_room, table->looks, sizeof *table->look);
        table->look[table->looks++] = *look;
        number = (uint32_t)table->looks;
        name_table_add(&table->look_names, name, number);
    }
    table->step[step].look = number;
}

static const struct wire_look *look_of(const struct step_table *table, uint32_t step) {
    static const struct wire_look none;
    return table->step[step].look == 0 ? &none : &table->look[table->step[step].look - 1];
}

bool step_table_looks(const struct step_table *table, uint32_t step) { return table->step[step].look != 0; }

void step_table_follow(struct step_table *table, uint32_t step) { table->step[step].is_followed = true; }

bool step_table_is_followed(const struct step_table *table, uint32_t step) { return table->step[step].is_followed; }

/* Of a message that a plain probe has found the rank is told what it is going to receive, but not what it is. */
static uint64_t claim_of(const struct step_table *table, const struct resolution *resolution, const struct completion *from) {
    const bool only_found = resolution->kind == WIRE_FOUND && !from->with_data && from->payload != NO_PAYLOAD;
    return only_found ? table->payload[from->payload].hash : from->claim;
}

size_t step_table_write_answer(const struct step_table *table, uint32_t step, void *area, size_t room) {
    const struct resolution *resolution = table->resolution[table->step[step].resolution];
    const struct wire_look *look = look_of(table, step);
    struct wire_resolution head = {.kind = resolution->kind,
                                   .looks = (uint8_t)look->looks,
                                   .spans = (uint8_t)look->spans,
                                   .completions = resolution->completions};
    char *at = area;
    memcpy(at, &head, sizeof head);
    at += sizeof head;
    memcpy(at, look->span, look->spans * sizeof *look->span);
    at += look->spans * sizeof *look->span;
    for (uint32_t i = 0; i < resolution->completions; i++) {
        const struct completion *from = &resolution->completion[i];
        struct wire_completion to = {.index = from->index,
                                     .source = from->source,
                                     .tag = from->tag,
                                     .cancelled = from->cancelled,
                                     .synchronous = from->synchronous,
                                     .parts = (uint16_t)from->parts,
                                     .claim = claim_of(table, resolution, from)};
        if (from->payload != NO_PAYLOAD) {
            to.size = table->payload[from->payload].size;
            to.data = from->with_data ? to.size : 0;
        }
        if (sizeof to + wire_padded(to.data) > room - (size_t)(at - (char *)area))
            return 0;
        memcpy(at, &to, sizeof to);
        at += sizeof to;
        if (to.data)
            memcpy(at, table->payload[from->payload].bytes, to.data);
        memset(at + to.data, 0, wire_padded(to.data) - to.data); /* a rank may keep an answer whole */
        at += wire_padded(to.data);
    }
    return (size_t)(at - (char *)area);
}

const char *step_table_refusal(const struct step_table *table) { return table->refusal; }

struct step_table_statistics step_table_statistics(const struct step_table *table) {
    uint64_t tables = table->local_room * sizeof *table->local + table->step_room * sizeof *table->step +
                      table->payload_room * sizeof *table->payload + name_table_bytes(&table->local_names) +
                      name_table_bytes(&table->step_names) + name_table_bytes(&table->payload_names) +
                      name_table_bytes(&table->resolution_names) + name_table_bytes(&table->look_names) +
                      table->look_room * sizeof *table->look + file_uses_bytes(&table->file_uses);
    return (struct step_table_statistics){.local_states = table->met_count,
                                          .steps = table->steps,
                                          .payloads = table->payloads,
                                          .payload_bytes = table->payload_bytes,
                                          .bytes = tables + table->payload_bytes + table->other_bytes};
}
