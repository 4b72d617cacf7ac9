/* All determined matches at once leave the same as one after the other, whether components in between are kept or not. */
#include "models/mpi/model_parts.h"
#include "tests/model/builder.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 12, MANY = 2000, TAGS = 3, TOO_LONG = 40 };

static struct world world;
static uint64_t lot;

static uint32_t draw(uint32_t below) {
    lot = lot * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(lot >> 33) % below;
}

/* One in `short_of` receives has no room for the longest message; 0: all have. */
static struct operation draw_operation(uint32_t request, uint32_t short_of) {
    const int peer = (int)draw(RANKS), tag = (int)draw(TAGS);
    request = draw(8) ? request : WIRE_NO_REQUEST;
    if (draw(2))
        return send(peer, tag, draw(16) ? 1 : TOO_LONG, request, draw(4) ? WIRE_STANDARD : WIRE_SYNCHRONOUS);
    const uint64_t room = short_of && draw(short_of) == 0 ? TOO_LONG - 1 : TOO_LONG;
    return receive(draw(16) ? peer : ANY, draw(4) ? tag : WIRE_ANY_TAG, room, request);
}

static void post(uint32_t operations, uint32_t short_of) {
    struct operation *operation = calloc(operations, sizeof *operation);
    world_begin(&world, draw(2) ? BUFFERING_NONE : BUFFERING_INFINITE);
    for (unsigned rank = 0; rank < RANKS; rank++) {
        for (uint32_t i = 0; i < operations; i++)
            operation[i] = draw_operation(i, short_of);
        world_do(&world, rank, NULL, operation, operations, WIRE_CALL_WAIT_ALL, NULL, 0);
    }
    free(operation);
}

/* The first match of the rank that is determined, as the standard has it. False: there is none. */
static bool deliver_one(uint32_t *state, unsigned rank, struct violation *violation) {
    const struct component *component = component_at(world.model, state[rank]);
    for (uint32_t i = 0; i < component->count; i++) {
        const struct pending *receive = &component->pending[i];
        if (receive->kind != WIRE_RECEIVE || !pending_open(receive) || receive->peer == WIRE_ANY_SOURCE)
            continue;
        const struct envelope envelope = receive_envelope(component->pending, i);
        const uint32_t send = channel_match(world.model, state, rank, (unsigned)receive->peer, &envelope);
        if (send == UINT32_MAX)
            continue;
        channel_deliver(world.model, state, rank, i, (unsigned)receive->peer, send, violation);
        return true;
    }
    return false;
}

static void deliver_one_by_one(uint32_t *state, struct violation *violation) {
    for (unsigned rank = 0; rank < RANKS && !violation->class_name; rank++)
        while (!violation->class_name && deliver_one(state, rank, violation))
            continue;
}

static void compare(void) {
    struct violation expected = {0}, got;
    uint32_t state[RANKS];
    memcpy(state, world.state, sizeof state);
    deliver_one_by_one(state, &expected);
    cr_assert_eq(mpi_model_settle(world.model, world.state, &got), expected.class_name == NULL);
    if (expected.class_name)
        cr_assert_str_eq(got.message, expected.message);
    cr_assert_arr_eq(world.state, state, sizeof state);
    mpi_model_destroy(world.model);
}

Test(settling, few_matches_are_made_as_one_by_one) {
    for (unsigned i = 0; i < 2000; i++) {
        post(FEW, 0);
        compare();
    }
}

Test(settling, the_first_rule_that_is_broken_is_told) {
    for (unsigned i = 0; i < 2000; i++) {
        post(FEW, 3);
        compare();
    }
}

Test(settling, many_matches_are_made_as_one_by_one) {
    post(MANY, 0);
    cr_assert(channel_settle_all(world.model, (uint32_t[]){world.state[0], world.state[1], world.state[2]}));
    compare();
    post(MANY, 100);
    compare();
}

Test(settling, what_it_keeps_grows_with_the_matches) {
    struct operation operation[MANY];
    world_begin(&world, BUFFERING_NONE);
    for (uint32_t i = 0; i < MANY; i++)
        operation[i] = receive(1, (int)i, 4, i);
    world_do(&world, 0, NULL, operation, MANY, WIRE_CALL_WAIT_ALL, NULL, 0);
    for (uint32_t i = 0; i < MANY; i++)
        operation[i] = send(0, (int)i, 4, i, WIRE_STANDARD);
    world_do(&world, 1, NULL, operation, MANY, WIRE_CALL_WAIT_ALL, NULL, 0);
    const uint64_t before = mpi_model_memory(world.model);
    settle(&world);
    cr_assert_lt(mpi_model_memory(world.model) - before, 4u * MANY * sizeof(struct pending));
}
