/* MPI-3.1 chapter 5: who may leave when, and with whose data. */
#include "tests/model/builder.h"

#include <criterion/criterion.h>

static struct world world;

static void enter(unsigned rank, enum wire_pattern pattern, int root) {
    DO(&world, rank, WIRE_CALL_COLLECTIVE, (9), collective(pattern, root, 7));
}

static bool may_leave(unsigned rank) { return ready(&world, rank) || has_optional(&world, rank); }

/* Which of the ranks may leave early once only `inside` have entered, as a set of bits. */
static unsigned leavers(enum wire_pattern pattern, int root, unsigned inside) {
    unsigned set = 0;
    world_begin(&world, BUFFERING_ALL);
    for (unsigned rank = 0; rank < RANKS; rank++)
        if (inside >> rank & 1)
            enter(rank, pattern, root);
    settle(&world);
    for (unsigned rank = 0; rank < RANKS; rank++)
        if (inside >> rank & 1 && may_leave(rank))
            set |= 1u << rank;
    return set;
}

Test(early_departure, nobody_leaves_a_synchronising_collective_before_all_are_in) {
    cr_assert_eq(leavers(WIRE_ALL_TO_ALL, -1, 3), 0);
    cr_assert_eq(leavers(WIRE_ALL_TO_ALL, -1, 7), 7);
}
Test(early_departure, the_root_of_a_broadcast_needs_nobody_and_the_others_need_the_root) {
    cr_assert_eq(leavers(WIRE_FAN_OUT, 0, 1), 1);
    cr_assert_eq(leavers(WIRE_FAN_OUT, 0, 6), 0);
    cr_assert_eq(leavers(WIRE_FAN_OUT, 0, 3), 3);
}
Test(early_departure, the_root_of_a_reduction_needs_all_and_the_others_nobody) {
    cr_assert_eq(leavers(WIRE_FAN_IN, 0, 3), 2);
    cr_assert_eq(leavers(WIRE_FAN_IN, 0, 7), 7);
}
Test(early_departure, a_scan_needs_the_ranks_below) {
    cr_assert_eq(leavers(WIRE_PREFIX, -1, 6), 0);
    cr_assert_eq(leavers(WIRE_PREFIX, -1, 5), 1);
    cr_assert_eq(leavers(WIRE_PREFIX_EXCLUSIVE, -1, 1), 1, "rank 0 needs nothing");
    cr_assert_eq(leavers(WIRE_PREFIX_EXCLUSIVE, -1, 3), 3);
}

Test(early_departure, is_never_taken_without_buffering_and_always_with_infinite) {
    world_begin(&world, BUFFERING_NONE);
    enter(0, WIRE_FAN_OUT, 0);
    settle(&world);
    cr_assert_not(may_leave(0));
    world_begin(&world, BUFFERING_INFINITE);
    enter(0, WIRE_FAN_OUT, 0);
    settle(&world);
    cr_assert_not_null(ready(&world, 0));
}

Test(data, each_member_gets_what_its_place_entitles_it_to) {
    world_begin(&world, BUFFERING_NONE);
    for (unsigned rank = 0; rank < RANKS; rank++)
        enter(rank, WIRE_PREFIX, -1);
    settle(&world);
    const struct resolution *answer = ready(&world, 1);
    cr_assert(answer->kind == WIRE_LEFT && answer->completions == 2);
    cr_assert(answer->completion[0].payload == 100 && answer->completion[1].payload == 101);
}

Test(rounds, a_fast_member_in_the_next_round_does_not_disturb_the_slow_one) {
    world_begin(&world, BUFFERING_ALL);
    enter(0, WIRE_FAN_OUT, 0);
    settle(&world);
    const struct resolution *answer = take_optional(&world, 0);
    world_do(&world, 0, answer, (struct operation[]){collective(WIRE_FAN_OUT, 0, 7)}, 1, WIRE_CALL_COLLECTIVE, REQUESTS(9), 1);
    enter(1, WIRE_FAN_OUT, 0);
    settle(&world);
    cr_assert(may_leave(1), "round 1 has its root");
    cr_assert(may_leave(0), "round 2 needs nobody for the root");
    cr_assert(influenced_by(&world, 1, 2) && influenced_by(&world, 0, 1));
}

Test(rounds, records_go_when_all_have_left) {
    world_begin(&world, BUFFERING_NONE);
    for (unsigned rank = 0; rank < RANKS; rank++)
        enter(rank, WIRE_ALL_TO_ALL, -1);
    settle(&world);
    for (unsigned rank = 0; rank < RANKS; rank++)
        world_do(&world, rank, ready(&world, rank), NULL, 0, WIRE_CALL_WAIT_ALL, REQUESTS(9), 1);
    settle(&world);
    enter(0, WIRE_ALL_TO_ALL, -1);
    settle(&world);
    cr_assert(influenced_by(&world, 0, 2), "the next round starts empty");
}

static const char *mismatch(struct operation a, struct operation b) {
    static struct violation violation;
    world_begin(&world, BUFFERING_NONE);
    DO(&world, 0, WIRE_CALL_COLLECTIVE, (9), a);
    DO(&world, 1, WIRE_CALL_COLLECTIVE, (9), b);
    return mpi_model_settle(world.model, world.state, &violation) ? "none" : violation.class_name;
}
Test(agreement, members_must_agree_on_call_root_and_operator) {
    struct operation bcast = collective(WIRE_FAN_OUT, 0, 7);
    cr_assert_str_eq(mismatch(bcast, bcast), "none");
    cr_assert_str_eq(mismatch(bcast, collective(WIRE_FAN_OUT, 1, 7)), "collective-mismatch");
    cr_assert_str_eq(mismatch(bcast, collective(WIRE_FAN_OUT, 0, 8)), "collective-mismatch");
    cr_assert_str_eq(mismatch(bcast, collective(WIRE_FAN_IN, 0, 7)), "collective-mismatch");
}
