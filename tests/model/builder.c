#include "tests/model/builder.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static uint64_t size_of(void *context, uint32_t payload) {
    (void)context;
    return payload;
}

void world_begin(struct world *world, enum buffering buffering) {
    world->model = mpi_model_create(RANKS, buffering, size_of, NULL);
    world->next_local = RANKS;
    for (unsigned rank = 0; rank < RANKS; rank++)
        world->state[rank] = mpi_model_initial(world->model, rank);
}

void world_add_agents(struct world *world) {
    mpi_model_add_agents(world->model, RANKS);
    for (unsigned rank = RANKS; rank < 2 * RANKS; rank++)
        world->state[rank] = mpi_model_initial(world->model, world->next_local++);
}

struct operation send(int to, int tag, uint32_t payload, uint32_t request, enum wire_send_mode mode) {
    return (struct operation){
        .kind = WIRE_SEND, .mode = (uint8_t)mode, .request = request, .peer = to, .tag = tag, .payload = payload, .parts = 1};
}
struct operation receive(int from, int tag, uint64_t capacity, uint32_t request) {
    return (struct operation){
        .kind = WIRE_RECEIVE, .request = request, .peer = from, .tag = tag, .capacity = capacity, .payload = NO_PAYLOAD};
}
struct operation simple(enum wire_operation_kind kind, uint32_t request) {
    return (struct operation){.kind = (uint8_t)kind, .request = request};
}
struct operation collective(enum wire_pattern pattern, int root, uint64_t agreement) {
    return (struct operation){.kind = WIRE_COLLECTIVE,
                              .mode = (uint8_t)pattern,
                              .request = WIRE_NO_REQUEST,
                              .peer = root,
                              .agreement = agreement,
                              .parts = 1};
}

struct operation nonblocking(enum wire_pattern pattern, int root, uint32_t request) {
    struct operation operation = collective(pattern, root, 7);
    operation.request = request;
    return operation;
}

enum { LIST_MOST = 4 };
static uint32_t next_list[LIST_MOST];

void world_list(const uint32_t *list, uint32_t length) {
    cr_assert_leq(length, LIST_MOST);
    memcpy(next_list, list, length * sizeof *list);
}

static struct step_result *new_result(struct world *world) {
    struct step_result *result = calloc(1, sizeof *result);
    result->local = world->next_local++;
    return result;
}

void world_do(struct world *world, unsigned rank, const struct resolution *resolution, const struct operation *operation,
              uint32_t operations, enum wire_call_kind kind, const uint32_t *request, uint32_t requests) {
    struct resolution go = {.kind = WIRE_GO};
    struct step_result *result = new_result(world);
    struct operation *copy = calloc(operations + 1, sizeof *copy);
    uint32_t *part = calloc(1 + LIST_MOST, sizeof *part), *list = calloc(requests + 1, sizeof *list);
    if (operations)
        memcpy(copy, operation, operations * sizeof *copy);
    if (requests)
        memcpy(list, request, requests * sizeof *list);
    *part = 100 + rank;
    memcpy(part + 1, next_list, sizeof next_list);
    result->operation = copy;
    result->operations = operations;
    result->part = part;
    result->call = (struct call){.kind = (uint8_t)kind, .requests = requests, .request = list};
    mpi_model_step(world->model, world->state, rank, resolution ? resolution : &go, result);
}

void world_probe(struct world *world, unsigned rank, enum wire_call_kind kind, int from, int tag) {
    struct resolution go = {.kind = WIRE_GO};
    struct step_result *result = new_result(world);
    static const uint32_t no_request;
    result->call = (struct call){.kind = (uint8_t)kind, .peer = from, .tag = tag, .request = &no_request};
    mpi_model_step(world->model, world->state, rank, &go, result);
}

void settle(struct world *world) {
    struct violation violation;
    cr_assert(mpi_model_settle(world->model, world->state, &violation), "%s", violation.message);
}

const struct resolution *ready(struct world *world, unsigned rank) { return mpi_model_ready(world->model, world->state, rank); }

size_t transitions(struct world *world, const struct transition **list) {
    static struct transition_list transitions; /* of the last world asked about */
    size_t count = mpi_model_transitions(world->model, world->state, &transitions);
    *list = transitions.item;
    return count;
}

unsigned choices(struct world *world, unsigned rank) {
    const struct transition *list;
    size_t count = transitions(world, &list);
    unsigned owned = 0;
    for (size_t i = 0; i < count; i++)
        owned += list[i].owner == rank && !list[i].miss;
    return owned;
}

static const struct transition *find(struct world *world, unsigned rank, int source, bool optional) {
    const struct transition *list;
    size_t count = transitions(world, &list);
    for (size_t i = 0; i < count; i++)
        if (list[i].owner == rank && !list[i].miss && list[i].optional == optional &&
            (source < 0 || list[i].partner == (unsigned)source))
            return &list[i];
    return NULL;
}

bool can_match(struct world *world, unsigned rank, unsigned source) { return find(world, rank, (int)source, false); }
bool has_optional(struct world *world, unsigned rank) { return find(world, rank, -1, true); }

static const struct resolution *take(struct world *world, const struct transition *found) {
    struct violation violation;
    cr_assert_not_null(found);
    struct transition transition = *found;
    const struct resolution *answer = mpi_model_take(world->model, world->state, &transition, &violation);
    cr_assert_null(violation.class_name);
    return answer;
}

const struct resolution *take_from(struct world *world, unsigned rank, unsigned source) {
    return take(world, find(world, rank, (int)source, false));
}
const struct resolution *take_optional(struct world *world, unsigned rank) { return take(world, find(world, rank, -1, true)); }

bool influenced_by(struct world *world, unsigned rank, unsigned other) {
    struct rank_set set = {0};
    mpi_model_influences(world->model, world->state, rank, &set, true);
    return rank_set_has(&set, other);
}
