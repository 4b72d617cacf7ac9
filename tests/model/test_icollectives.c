/* MPI-3.1 section 5.12: when a nonblocking collective's request completes, with which data, and what matches what. */
#include "tests/model/builder.h"

#include <criterion/criterion.h>

static struct world world;

/* Begins a collective and waits for its request, number 1. */
static void begin(unsigned rank, enum wire_pattern pattern, int root) {
    DO(&world, rank, WIRE_CALL_WAIT_ALL, (1), nonblocking(pattern, root, 1));
}

Test(completion, needs_everybodys_entry_if_collectives_synchronise) {
    world_begin(&world, BUFFERING_NONE);
    begin(0, WIRE_FAN_OUT, 0);
    begin(1, WIRE_FAN_OUT, 0);
    settle(&world);
    cr_assert(!ready(&world, 0) && !ready(&world, 1) && choices(&world, 0) == 0 && choices(&world, 1) == 0);
    begin(2, WIRE_FAN_OUT, 0);
    settle(&world);
    for (unsigned rank = 0; rank < RANKS; rank++)
        cr_assert_not_null(ready(&world, rank));
}

Test(completion, may_be_as_early_as_the_data_and_is_a_choice) {
    world_begin(&world, BUFFERING_ALL);
    begin(1, WIRE_FAN_OUT, 0);
    settle(&world);
    cr_assert_eq(choices(&world, 1), 0, "the root has not entered");
    begin(0, WIRE_FAN_OUT, 0);
    settle(&world);
    cr_assert(has_optional(&world, 0) && has_optional(&world, 1) && !ready(&world, 1));
    cr_assert_null(take_optional(&world, 1), "completion is no answer by itself");
    cr_assert(ready(&world, 1) && !ready(&world, 0));
}

Test(completion, does_not_wait_for_the_others_with_infinite_buffering) {
    world_begin(&world, BUFFERING_INFINITE);
    begin(1, WIRE_FAN_IN, 0);
    settle(&world);
    cr_assert_not_null(ready(&world, 1));
}

Test(completion, is_the_same_state_whether_it_was_early_or_not_once_all_have_entered) {
    world_begin(&world, BUFFERING_ALL);
    begin(1, WIRE_FAN_IN, 0);
    settle(&world);
    uint32_t pending = world.state[1];
    take_optional(&world, 1);
    begin(0, WIRE_FAN_IN, 0);
    begin(2, WIRE_FAN_IN, 0);
    settle(&world);
    uint32_t early = world.state[1];
    world.state[1] = pending;
    settle(&world);
    cr_assert_eq(world.state[1], early);
}

Test(completion, of_one_request_among_others_is_a_choice_of_waitany) {
    world_begin(&world, BUFFERING_NONE);
    DO(&world, 0, WIRE_CALL_WAIT_ANY, (1, 2), receive(1, ANY, 100, 1), nonblocking(WIRE_ALL_TO_ALL, -1, 2));
    DO(&world, 1, WIRE_CALL_WAIT_ALL, (1, 2), send(0, 5, 10, 1, WIRE_STANDARD), nonblocking(WIRE_ALL_TO_ALL, -1, 2));
    settle(&world);
    cr_assert(!ready(&world, 0) && choices(&world, 0) == 1, "rank 2 has not entered");
    begin(2, WIRE_ALL_TO_ALL, -1);
    settle(&world);
    cr_assert(!ready(&world, 0) && choices(&world, 0) == 2);
    cr_assert_not_null(ready(&world, 1));
}

Test(icollective_data, follows_the_completion_of_its_request) {
    world_begin(&world, BUFFERING_NONE);
    DO(&world, 1, WIRE_CALL_WAIT_ALL, (1, 2), nonblocking(WIRE_PREFIX, -1, 1), receive(0, 5, 100, 2));
    DO(&world, 0, WIRE_CALL_WAIT_ALL, (1, 2), nonblocking(WIRE_PREFIX, -1, 1), send(1, 5, 10, 2, WIRE_STANDARD));
    begin(2, WIRE_PREFIX, -1);
    settle(&world);
    const struct resolution *answer = ready(&world, 1);
    cr_assert(answer && answer->kind == WIRE_COMPLETED && answer->completions == 4);
    cr_assert(answer->completion[0].index == 0 && answer->completion[0].parts == 2 && !answer->completion[0].with_data);
    cr_assert(answer->completion[1].index == 0 && answer->completion[1].payload == 100);
    cr_assert(answer->completion[2].index == 1 && answer->completion[2].payload == 101);
    cr_assert(answer->completion[3].index == 1 && answer->completion[3].payload == 10);
}

Test(order, collectives_match_in_the_order_of_their_beginning_whatever_is_waited_for_first) {
    world_begin(&world, BUFFERING_NONE);
    for (unsigned rank = 0; rank < RANKS; rank++)
        DO(&world, rank, WIRE_CALL_WAIT_ALL, (2), nonblocking(WIRE_PREFIX, -1, 1), nonblocking(WIRE_ALL_TO_ALL, -1, 2));
    settle(&world);
    for (unsigned rank = 0; rank < RANKS; rank++) {
        const struct resolution *answer = ready(&world, rank);
        cr_assert_eq(answer->completion[0].parts, RANKS, "the second one's");
        world_do(&world, rank, answer, NULL, 0, WIRE_CALL_WAIT_ALL, REQUESTS(1), 1);
    }
    settle(&world);
    for (unsigned rank = 0; rank < RANKS; rank++)
        cr_assert_eq(ready(&world, rank)->completion[0].parts, rank + 1);
}

Test(order, a_blocking_collective_may_pass_through_while_a_request_is_open) {
    world_begin(&world, BUFFERING_NONE);
    for (unsigned rank = 0; rank < RANKS; rank++)
        DO(&world, rank, WIRE_CALL_COLLECTIVE, (9), nonblocking(WIRE_FAN_IN, 0, 1), collective(WIRE_ALL_TO_ALL, -1, 7));
    settle(&world);
    for (unsigned rank = 0; rank < RANKS; rank++) {
        const struct resolution *answer = ready(&world, rank);
        cr_assert(answer && answer->kind == WIRE_LEFT && answer->completions == RANKS);
    }
}

Test(order, who_begins_them_in_another_order_breaks_a_rule) {
    struct violation violation;
    world_begin(&world, BUFFERING_ALL);
    DO(&world, 0, WIRE_CALL_WAIT_ALL, (1, 2), nonblocking(WIRE_FAN_IN, 0, 1), nonblocking(WIRE_ALL_TO_ALL, -1, 2));
    DO(&world, 1, WIRE_CALL_WAIT_ALL, (1, 2), nonblocking(WIRE_ALL_TO_ALL, -1, 1), nonblocking(WIRE_FAN_IN, 0, 2));
    cr_assert_not(mpi_model_settle(world.model, world.state, &violation));
    cr_assert_str_eq(violation.class_name, "collective-mismatch");
}

Test(order, one_that_is_over_leaves_no_trace) {
    world_begin(&world, BUFFERING_NONE);
    uint32_t before[RANKS];
    for (unsigned round = 0; round < 2; round++) {
        world.next_local = RANKS; /* the same local states each round */
        for (unsigned rank = 0; rank < RANKS; rank++)
            world_do(&world, rank, round ? ready(&world, rank) : NULL, (struct operation[]){nonblocking(WIRE_FAN_IN, 0, 1)}, 1,
                     WIRE_CALL_WAIT_ALL, REQUESTS(1), 1);
        settle(&world);
        for (unsigned rank = 0; rank < RANKS; rank++) {
            cr_assert(!round || world.state[rank] == before[rank]);
            before[rank] = world.state[rank];
        }
    }
}

Test(influences, of_a_request_that_is_waited_for_are_all_who_have_not_entered) {
    world_begin(&world, BUFFERING_ALL);
    begin(0, WIRE_FAN_OUT, 0);
    settle(&world);
    cr_assert(influenced_by(&world, 0, 1) && influenced_by(&world, 0, 2));
    begin(1, WIRE_FAN_OUT, 0);
    settle(&world);
    cr_assert(!influenced_by(&world, 0, 1) && influenced_by(&world, 0, 2) && influenced_by(&world, 1, 2));
    DO(&world, 2, WIRE_CALL_WAIT_ALL, (2), nonblocking(WIRE_FAN_OUT, 0, 1), receive(0, 5, 100, 2));
    settle(&world);
    cr_assert(!influenced_by(&world, 2, 1), "it waits for something else");
}
