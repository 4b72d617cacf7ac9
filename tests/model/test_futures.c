/* What ranks are assumed to send yet, from where they are: the reduction may rely on it as long as nobody does more. */
#include "models/mpi/deeds.h"
#include "tests/model/builder.h"

#include <criterion/criterion.h>
#include <string.h>

enum { ANYONE = WIRE_ANY_SOURCE, ANY_TAG = WIRE_ANY_TAG, TAG = 5 };

static struct world world;
static uint32_t then[RANKS];

static void remember_state(void) { memcpy(then, world.state, sizeof then); }
static void go_back(void) { memcpy(world.state, then, sizeof then); }

static void send_to_first(unsigned rank) { DO(&world, rank, WIRE_CALL_WAIT_ALL, (1), send(0, TAG, 4, 1, WIRE_STANDARD)); }
static void enter_barrier(unsigned rank) { DO(&world, rank, WIRE_CALL_COLLECTIVE, (9), collective(WIRE_ALL_TO_ALL, -1, 0)); }

/* Rank 0 waits for a message from anyone. */
static void wait_for_anyone(void) { DO(&world, 0, WIRE_CALL_WAIT_ALL, (1), receive(ANYONE, ANY_TAG, 4, 1)); }

/* In the state that is gone back to, all ranks have just begun. Rank 1 was seen to send to rank 0 from there. */
static void see_rank_1_send(void) {
    world_begin(&world, BUFFERING_NONE);
    remember_state();
    send_to_first(1);
}

Test(futures, what_was_seen_to_follow_is_assumed_to) {
    see_rank_1_send();
    go_back();
    mpi_model_assume(world.model, true);
    wait_for_anyone();
    cr_assert(influenced_by(&world, 0, 1));
    cr_assert_not(influenced_by(&world, 0, 2));
}

Test(futures, what_follows_later_is_assumed_too) {
    world_begin(&world, BUFFERING_NONE);
    remember_state();
    DO(&world, 1, WIRE_CALL_WAIT_ALL, (7), receive(2, TAG, 4, 7));
    DO(&world, 1, WIRE_CALL_WAIT_ALL, (8), receive(2, TAG, 4, 8));
    send_to_first(1);
    go_back();
    mpi_model_assume(world.model, true);
    wait_for_anyone();
    cr_assert(influenced_by(&world, 0, 1));
}

/* Rank 1 has sent, and its message was received. No step is known from where it is. */
static void see_no_more_of_rank_1(bool hopeful) {
    see_rank_1_send();
    uint32_t first = world.state[0];
    wait_for_anyone(); /* is known to happen, too */
    world.state[0] = first;
    DO(&world, 0, WIRE_CALL_WAIT_ALL, (1), receive(1, TAG, 4, 1));
    settle(&world);
    mpi_model_assume(world.model, hopeful);
    wait_for_anyone();
}

Test(futures, hope_is_that_nothing_follows_what_nothing_was_seen_to_follow) {
    see_no_more_of_rank_1(true);
    cr_assert_not(influenced_by(&world, 0, 1));
}

Test(futures, without_hope_whatever_the_rank_was_seen_to_send_may_follow) {
    see_no_more_of_rank_1(false);
    cr_assert(influenced_by(&world, 0, 1));
    cr_assert_not(influenced_by(&world, 0, 2));
}

Test(futures, more_than_was_relied_on_is_noticed) {
    see_no_more_of_rank_1(true);
    cr_assert_not(influenced_by(&world, 0, 1));
    cr_assert(mpi_model_assumed_enough(world.model));
    send_to_first(1);
    cr_assert_not(mpi_model_assumed_enough(world.model));
    mpi_model_assume(world.model, true);
    cr_assert(mpi_model_assumed_enough(world.model));
}

Test(futures, what_nobody_asked_about_is_not_relied_on) {
    see_no_more_of_rank_1(true);
    send_to_first(1);
    cr_assert(mpi_model_assumed_enough(world.model));
}

/* Rank 1 was seen to enter a barrier and to send after it. */
static uint32_t in_barrier;

static void see_rank_1_send_after_a_barrier(void) {
    world_begin(&world, BUFFERING_NONE);
    remember_state();
    enter_barrier(1);
    in_barrier = world.state[1];
    send_to_first(1);
    go_back();
    mpi_model_assume(world.model, true);
}

Test(futures, what_follows_a_barrier_waits_for_who_has_not_entered) {
    see_rank_1_send_after_a_barrier();
    wait_for_anyone();
    cr_assert_not(influenced_by(&world, 0, 1), "before the barrier");
    world.state[1] = in_barrier;
    cr_assert_not(influenced_by(&world, 0, 1), "in the barrier");
}

Test(futures, what_follows_a_barrier_does_not_wait_for_who_has_entered) {
    see_rank_1_send_after_a_barrier();
    DO(&world, 0, WIRE_CALL_COLLECTIVE, (9), receive(ANYONE, ANY_TAG, 4, 1), collective(WIRE_ALL_TO_ALL, -1, 0));
    cr_assert(influenced_by(&world, 0, 1), "before the barrier");
    world.state[1] = in_barrier;
    cr_assert(influenced_by(&world, 0, 1), "in the barrier");
}

/* Whoever gets something from a root need not wait for others. */
Test(futures, what_follows_a_broadcast_waits_for_nobody_but_its_root) {
    world_begin(&world, BUFFERING_NONE);
    remember_state();
    DO(&world, 1, WIRE_CALL_COLLECTIVE, (9), collective(WIRE_FAN_OUT, 2, 0));
    send_to_first(1);
    go_back();
    mpi_model_assume(world.model, true);
    wait_for_anyone();
    cr_assert(influenced_by(&world, 0, 1));
}

/* Rank 1 has been seen to enter a barrier of ranks 1 and 2, and to send to rank 0 after it. */
static void world_with_barrier_of_others(void) {
    world_begin(&world, BUFFERING_NONE);
    remember_state();
    struct operation barrier = collective(WIRE_ALL_TO_ALL, -1, 0);
    barrier.context = mpi_model_context(world.model, 77, (const int32_t[]){1, 2}, 2);
    DO(&world, 1, WIRE_CALL_COLLECTIVE, (9), barrier);
    send_to_first(1);
    go_back();
    mpi_model_assume(world.model, true);
}

Test(futures, a_barrier_of_others_holds_nothing_up) {
    world_with_barrier_of_others();
    wait_for_anyone();
    cr_assert(influenced_by(&world, 0, 1));
}

/* Rank 2 has not entered the barrier. Does rank 1 influence rank 0? */
static bool gets_past_who_waits(enum wire_call_kind kind, int from) {
    world_with_barrier_of_others();
    wait_for_anyone();
    DO(&world, 2, kind, (3), receive(from, TAG, 4, 3));
    return influenced_by(&world, 0, 1);
}

Test(futures, a_barrier_of_others_is_held_up_by_who_waits_for_the_rank) {
    cr_assert_not(gets_past_who_waits(WIRE_CALL_WAIT_ALL, 0));
    cr_assert(gets_past_who_waits(WIRE_CALL_WAIT_ALL, 1), "waits for another");
    cr_assert(gets_past_who_waits(WIRE_CALL_WAIT_ALL, ANYONE), "for anyone");
    cr_assert(gets_past_who_waits(WIRE_CALL_TEST_ALL, 0), "does not wait");
}

Test(futures, a_barrier_of_others_is_not_held_up_by_who_has_been_sent_what_it_waits_for) {
    world_with_barrier_of_others();
    DO(&world, 0, WIRE_CALL_WAIT_ALL, (1), send(2, TAG, 4, 2, WIRE_STANDARD), receive(ANYONE, ANY_TAG, 4, 1));
    /* An earlier receive from anyone may take it, so that it is not matched yet. */
    DO(&world, 2, WIRE_CALL_WAIT_ALL, (3), receive(ANYONE, TAG, 4, 4), receive(0, TAG, 4, 3));
    settle(&world);
    cr_assert(influenced_by(&world, 0, 1));
}

/* On so many communicators rank 1 was seen to send to rank 2 that nobody keeps them apart: it may send to rank 0 as well. */
Test(futures, of_too_many_kinds_are_assumed_to_be_anything) {
    world_begin(&world, BUFFERING_NONE);
    remember_state();
    for (uint32_t context = 1; context < 2 * DEEDS_MOST; context++) {
        struct operation operation = send(2, TAG, 4, 1, WIRE_STANDARD);
        operation.context = context;
        DO(&world, 1, WIRE_CALL_WAIT_ALL, (1), operation);
        go_back();
    }
    mpi_model_assume(world.model, true);
    wait_for_anyone();
    cr_assert(influenced_by(&world, 0, 1));
    cr_assert_not(influenced_by(&world, 0, 2));
}
