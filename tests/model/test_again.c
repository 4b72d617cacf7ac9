/* Moves that are done again by component numbers: they must come to the same, or be left to the long way. */
#include "tests/model/builder.h"

#include <criterion/criterion.h>
#include <string.h>

static struct world world;
static uint32_t start[RANKS];
static struct transition first;

enum { AGREED = 7, OTHER = 8 };

static void enters(unsigned rank, const struct resolution *answer, uint64_t agreement) {
    const struct operation entry = collective(WIRE_ALL_TO_ALL, -1, agreement);
    world_do(&world, rank, answer, &entry, 1, WIRE_CALL_COLLECTIVE, NULL, 0);
}

/* Rank 0 receives the message of rank 1, which waits for nothing, and enters a collective: that is remembered. */
static void receive_and_enter(void) {
    const struct transition *list;
    struct violation violation;
    settle(&world);
    memcpy(start, world.state, sizeof start);
    cr_assert_eq(transitions(&world, &list), 1);
    first = list[0];
    mpi_model_take(world.model, world.state, &first, &violation);
    settle(&world);
    const struct resolution *answer = ready(&world, 0);
    const uint32_t before = world.state[0];
    enters(0, answer, AGREED);
    mpi_model_remember(world.model, world.state, 0, before, NULL, answer, mpi_model_result(world.model, world.state[0]), 1);
}

static void begin(void) {
    world_begin(&world, BUFFERING_NONE);
    DO(&world, 0, WIRE_CALL_WAIT_ALL, (1), receive(ANY, 5, 4, 1));
}

static bool again(void) {
    struct again counted;
    return mpi_model_again(world.model, start, &first, &counted);
}

Test(again, a_rank_comes_to_a_collective_that_others_must_enter) {
    begin();
    DO(&world, 1, WIRE_CALL_WAIT_ALL, (2), send(0, 5, 4, 1, WIRE_SYNCHRONOUS), receive(2, 9, 4, 2));
    enters(2, NULL, AGREED);
    receive_and_enter();
    settle(&world);
    cr_assert(again());
    cr_assert_arr_eq(start, world.state, sizeof start);
}

Test(again, members_that_do_not_agree_are_told_of) {
    struct violation violation;
    begin();
    DO(&world, 1, WIRE_CALL_WAIT_ALL, (2), send(0, 5, 4, 1, WIRE_SYNCHRONOUS), receive(2, 9, 4, 2));
    enters(2, NULL, OTHER);
    receive_and_enter();
    cr_assert_not(mpi_model_settle(world.model, world.state, &violation));
    cr_assert_not(again());
}

Test(again, the_last_member_lets_all_go_on) {
    begin();
    const struct operation operation[] = {send(0, 5, 4, 1, WIRE_SYNCHRONOUS), collective(WIRE_ALL_TO_ALL, -1, AGREED)};
    world_do(&world, 1, NULL, operation, 2, WIRE_CALL_COLLECTIVE, NULL, 0);
    enters(2, NULL, AGREED);
    receive_and_enter();
    settle(&world);
    cr_assert_not_null(ready(&world, 2));
    cr_assert_not(again());
}

/* As the library sends: buffered, without an attached buffer. */
Test(again, what_takes_no_room_is_done_again) {
    begin();
    DO(&world, 1, WIRE_CALL_WAIT_ALL, (2), send(0, 5, 4, WIRE_NO_REQUEST, WIRE_BUFFERED), receive(2, 9, 4, 2));
    enters(2, NULL, AGREED);
    receive_and_enter();
    settle(&world);
    cr_assert(again());
    cr_assert_arr_eq(start, world.state, sizeof start);
}

Test(again, what_takes_room_is_not) {
    begin();
    struct operation operation = send(0, 5, 4, WIRE_NO_REQUEST, WIRE_BUFFERED);
    operation.capacity = 1000;
    world_do(&world, 1, NULL, &operation, 1, WIRE_CALL_DETACH, NULL, 0);
    enters(2, NULL, AGREED);
    settle(&world);
    memcpy(start, world.state, sizeof start);
    const struct transition *list;
    for (size_t count = transitions(&world, &list); count > 0; count--)
        first = list[count - 1].optional ? first : list[count - 1];
    struct violation violation;
    mpi_model_take(world.model, world.state, &first, &violation);
    cr_assert_not(again());
}

/* Rank 0 waits in a probe for a message of any rank, of which those of ranks 1 and 2 are there. What it does when it has found rank
 * 1's is remembered. */
static void find(uint32_t payload) {
    world_begin(&world, BUFFERING_NONE);
    world_probe(&world, 0, WIRE_CALL_PROBE, ANY, ANY);
    DO(&world, 1, WIRE_CALL_WAIT_ALL, (1), send(0, 5, payload, 1, WIRE_SYNCHRONOUS));
    DO(&world, 2, WIRE_CALL_WAIT_ALL, (1), send(0, 5, payload, 1, WIRE_SYNCHRONOUS));
    settle(&world);
    memcpy(start, world.state, sizeof start);
    const struct transition *list;
    cr_assert_eq(transitions(&world, &list), 2);
    first = list[0];
    struct violation violation;
    const uint32_t before = world.state[0];
    const struct resolution *answer = mpi_model_take(world.model, world.state, &first, &violation);
    cr_assert_eq(first.partner, 1);
    DO(&world, 0, WIRE_CALL_WAIT_ALL, (7), receive(2, 9, 4, 7)); /* which it does not send */
    mpi_model_remember(world.model, world.state, 0, before, &first, answer, mpi_model_result(world.model, world.state[0]), 1);
}

Test(again, a_message_that_a_probe_found_is_found_again) {
    find(4);
    cr_assert(again());
    cr_assert_arr_eq(start, world.state, sizeof start);
}

Test(again, what_a_probe_finds_is_the_senders) {
    find(4);
    first.partner = 2; /* the other message was never found */
    cr_assert_not(again());
}
