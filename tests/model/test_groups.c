/* Who needs whom in collectives along the edges of a topology (MPI-3.1 section 7.6) and between the two groups of an
 * intercommunicator (section 5.2.3). */
#include "tests/model/builder.h"

#include <criterion/criterion.h>

static struct world world;

static void enter(unsigned rank, enum wire_pattern pattern, int root) {
    DO(&world, rank, WIRE_CALL_COLLECTIVE, (9), collective(pattern, root, 7));
}

static bool may_leave(unsigned rank) { return ready(&world, rank) || has_optional(&world, rank); }

/* Edges 1 -> 0, 2 -> 0 and 2 -> 1. */
static void begin_graph(enum buffering buffering) {
    const int32_t sources_of_0[] = {1, 2}, sources_of_1[] = {2};
    world_begin(&world, buffering);
    mpi_model_sources(world.model, 0, 0, sources_of_0, 2);
    mpi_model_sources(world.model, 0, 1, sources_of_1, 1);
    mpi_model_sources(world.model, 0, 2, NULL, 0);
}

Test(neighbours, a_member_needs_its_sources_only) {
    begin_graph(BUFFERING_ALL);
    enter(0, WIRE_NEIGHBOURS, -1);
    enter(1, WIRE_NEIGHBOURS, -1);
    settle(&world);
    cr_assert(!may_leave(0) && !may_leave(1));
    begin_graph(BUFFERING_ALL);
    enter(1, WIRE_NEIGHBOURS, -1);
    enter(2, WIRE_NEIGHBOURS, -1);
    settle(&world);
    cr_assert(may_leave(1) && may_leave(2) && !ready(&world, 1), "a choice: it may synchronise as well");
}

Test(neighbours, synchronise_without_buffering) {
    begin_graph(BUFFERING_NONE);
    enter(2, WIRE_NEIGHBOURS, -1);
    settle(&world);
    cr_assert_not(may_leave(2));
}

Test(neighbours, a_member_gets_the_data_of_its_sources) {
    begin_graph(BUFFERING_NONE);
    for (unsigned rank = 0; rank < RANKS; rank++)
        enter(rank, WIRE_NEIGHBOURS, -1);
    settle(&world);
    const struct resolution *answer = ready(&world, 0);
    cr_assert(answer->completions == 2 && answer->completion[0].index == 1 && answer->completion[1].payload == 102);
    cr_assert_eq(ready(&world, 1)->completions, 1);
    cr_assert_eq(ready(&world, 2)->completions, 0);
}

/* Rank 0 is one group, ranks 1 and 2 are the other. */
static void begin_groups(enum buffering buffering) {
    world_begin(&world, buffering);
    mpi_model_groups(world.model, 0, 1);
}

Test(groups, a_member_needs_the_other_group_and_not_its_own) {
    begin_groups(BUFFERING_ALL);
    enter(0, WIRE_ALL_TO_ALL, -1);
    enter(1, WIRE_ALL_TO_ALL, -1);
    settle(&world);
    cr_assert(!may_leave(0) && may_leave(1));
}

Test(groups, members_are_numbered_within_their_group) {
    begin_groups(BUFFERING_NONE);
    for (unsigned rank = 0; rank < RANKS; rank++)
        enter(rank, WIRE_ALL_TO_ALL, -1);
    settle(&world);
    const struct resolution *answer = ready(&world, 0);
    cr_assert(answer->completions == 2 && answer->completion[0].index == 0 && answer->completion[0].payload == 101);
    cr_assert(answer->completion[1].index == 1 && answer->completion[1].payload == 102);
    answer = ready(&world, 2);
    cr_assert(answer->completions == 1 && answer->completion[0].index == 0 && answer->completion[0].payload == 100);
}

Test(groups, making_communicators_needs_both) {
    begin_groups(BUFFERING_ALL);
    enter(0, WIRE_BOTH_GROUPS, -1);
    enter(1, WIRE_BOTH_GROUPS, -1);
    settle(&world);
    cr_assert_not(may_leave(1));
    enter(2, WIRE_BOTH_GROUPS, -1);
    settle(&world);
    cr_assert(ready(&world, 1)->completions == RANKS && ready(&world, 1)->completion[2].index == 2);
}

Test(groups, who_stands_beside_the_root_needs_nobody_and_agrees_with_every_root) {
    begin_groups(BUFFERING_ALL);
    enter(2, WIRE_FAN_OUT, WIRE_NO_PART);
    settle(&world);
    cr_assert(may_leave(2));
    enter(1, WIRE_FAN_OUT, 1);
    enter(0, WIRE_FAN_OUT, 1);
    settle(&world);
    cr_assert_eq(ready(&world, 2)->completions, 0);
    cr_assert_eq(ready(&world, 1)->completions, 0, "the root takes nothing");
    cr_assert_eq(ready(&world, 0)->completion[0].payload, 101);
}

Test(groups, two_members_that_name_different_roots_are_found_past_one_that_names_none) {
    struct violation violation;
    begin_groups(BUFFERING_ALL);
    enter(0, WIRE_FAN_IN, WIRE_NO_PART);
    enter(1, WIRE_FAN_IN, 0);
    enter(2, WIRE_FAN_IN, 1);
    cr_assert_not(mpi_model_settle(world.model, world.state, &violation));
    cr_assert_str_eq(violation.class_name, "collective-mismatch");
    cr_assert(violation.rank == 1 && violation.partner == 2);
}

/* Rank 1 takes nothing of the members listed. */
static struct operation expecting_nothing_of(enum wire_pattern pattern, const uint32_t *list, uint32_t length) {
    struct operation operation = collective(pattern, pattern == WIRE_FAN_OUT ? 0 : -1, 7);
    operation.empties = length;
    operation.empty = 1; /* after its own part */
    world_list(list, length);
    return operation;
}

Test(emptiness, of_the_roots_block_lets_a_member_leave_at_once) {
    world_begin(&world, BUFFERING_ALL);
    DO(&world, 1, WIRE_CALL_COLLECTIVE, (9), expecting_nothing_of(WIRE_FAN_OUT, (const uint32_t[]){0}, 1));
    settle(&world);
    cr_assert(may_leave(1) && !ready(&world, 1));
    cr_assert_eq(take_optional(&world, 1)->completions, 0);
}

Test(emptiness, of_one_members_block_leaves_the_others_needed) {
    world_begin(&world, BUFFERING_ALL);
    DO(&world, 1, WIRE_CALL_COLLECTIVE, (9), expecting_nothing_of(WIRE_ALL_TO_ALL, (const uint32_t[]){2}, 1));
    settle(&world);
    cr_assert_not(may_leave(1));
    enter(0, WIRE_ALL_TO_ALL, -1);
    settle(&world);
    cr_assert(may_leave(1) && !may_leave(0));
    const struct resolution *answer = take_optional(&world, 1);
    cr_assert(answer->completions == 2 && answer->completion[1].index == 1);
}

Test(emptiness, that_the_giver_does_not_know_of_breaks_a_rule) {
    struct violation violation;
    world_begin(&world, BUFFERING_ALL);
    DO(&world, 1, WIRE_CALL_COLLECTIVE, (9), expecting_nothing_of(WIRE_ALL_TO_ALL, (const uint32_t[]){2}, 1));
    enter(2, WIRE_ALL_TO_ALL, -1); /* brings 102 bytes */
    cr_assert_not(mpi_model_settle(world.model, world.state, &violation));
    cr_assert_str_eq(violation.class_name, "collective-mismatch");
}

Test(emptiness, that_the_giver_does_not_know_of_breaks_a_rule_though_the_other_has_left) {
    const struct operation next = receive(0, 5, 4, 7);
    const uint32_t request = 7;
    struct violation violation;
    world_begin(&world, BUFFERING_ALL);
    DO(&world, 1, WIRE_CALL_COLLECTIVE, (9), expecting_nothing_of(WIRE_ALL_TO_ALL, (const uint32_t[]){2}, 1));
    enter(0, WIRE_ALL_TO_ALL, -1);
    settle(&world);
    world_do(&world, 1, take_optional(&world, 1), &next, 1, WIRE_CALL_WAIT_ALL, &request, 1);
    settle(&world);
    enter(2, WIRE_ALL_TO_ALL, -1);
    cr_assert_not(mpi_model_settle(world.model, world.state, &violation));
    cr_assert_str_eq(violation.class_name, "collective-mismatch");
}
