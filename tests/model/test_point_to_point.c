/* MPI-3.1 chapter 3. Requests are numbered 1, 2, …; payload p is p bytes. */
#include "tests/model/builder.h"

#include <criterion/criterion.h>
#include <string.h>

static struct world world;

#define WAITS(rank, requests, ...) DO(&world, rank, WIRE_CALL_WAIT_ALL, requests, __VA_ARGS__)

Test(matching, a_named_receive_takes_the_first_message_of_its_source) {
    world_begin(&world, BUFFERING_NONE);
    WAITS(0, (1, 2), send(1, 5, 10, 1, WIRE_STANDARD), send(1, 5, 11, 2, WIRE_STANDARD));
    WAITS(1, (1), receive(0, 5, 100, 1));
    settle(&world);
    const struct resolution *answer = ready(&world, 1);
    cr_assert_not_null(answer);
    cr_assert_eq(answer->completion[0].payload, 10, "messages of one sender do not overtake (3.5)");
    cr_assert_null(ready(&world, 0), "its second send is not matched");
}

Test(matching, a_tag_may_pass_by_an_earlier_message_with_another_tag) {
    world_begin(&world, BUFFERING_NONE);
    WAITS(0, (1, 2), send(1, 5, 10, 1, WIRE_STANDARD), send(1, 6, 11, 2, WIRE_STANDARD));
    WAITS(1, (1), receive(0, 6, 100, 1));
    settle(&world);
    cr_assert_eq(ready(&world, 1)->completion[0].payload, 11);
}

Test(matching, a_wildcard_has_each_sender_as_a_choice_and_is_not_settled) {
    world_begin(&world, BUFFERING_NONE);
    WAITS(0, (1), receive(ANY, ANY, 100, 1));
    WAITS(1, (1), send(0, 5, 10, 1, WIRE_STANDARD));
    WAITS(2, (1), send(0, 6, 11, 1, WIRE_STANDARD));
    settle(&world);
    cr_assert_null(ready(&world, 0));
    cr_assert(can_match(&world, 0, 1) && can_match(&world, 0, 2));
    cr_assert_null(take_from(&world, 0, 2), "a match answers no call by itself");
    settle(&world);
    const struct resolution *answer = ready(&world, 0);
    cr_assert(answer->completion[0].source == 2 && answer->completion[0].tag == 6 && answer->completion[0].payload == 11);
    cr_assert_not_null(ready(&world, 2), "its send is complete");
    cr_assert_null(ready(&world, 1));
}

Test(matching, an_earlier_wildcard_comes_before_a_later_named_receive) {
    world_begin(&world, BUFFERING_NONE);
    WAITS(0, (1, 2), receive(ANY, ANY, 100, 1), receive(1, ANY, 100, 2));
    WAITS(1, (1), send(0, 5, 10, 1, WIRE_STANDARD));
    settle(&world);
    /* Rank 1's message must go to the wildcard as long as that is open: the named receive may not take it. */
    cr_assert_eq(choices(&world, 0), 1);
    WAITS(2, (1), send(0, 5, 20, 1, WIRE_STANDARD));
    settle(&world);
    take_from(&world, 0, 2);
    settle(&world);
    const struct resolution *answer = ready(&world, 0);
    cr_assert_not_null(answer, "the wildcard has rank 2's message, so the named receive is determined");
    cr_assert(answer->completion[0].payload == 20 && answer->completion[1].payload == 10);
}

Test(matching, a_message_longer_than_the_buffer_is_truncation) {
    struct violation violation;
    world_begin(&world, BUFFERING_NONE);
    WAITS(0, (1), send(1, 5, 101, 1, WIRE_STANDARD));
    WAITS(1, (1), receive(0, 5, 100, 1));
    cr_assert_not(mpi_model_settle(world.model, world.state, &violation));
    cr_assert_str_eq(violation.class_name, "truncation");
    cr_assert(violation.rank == 1 && violation.partner == 0);
}

static bool expects(unsigned rank, struct resolution *answer) {
    return mpi_model_expects_answer(mpi_model_result(world.model, world.state[rank]), answer);
}

Test(expecting, who_waits_for_standard_sends_gets_the_answer_that_was_known_before) {
    union {
        struct resolution answer;
        char room[EXPECTED_ANSWER_BYTES];
    } expected;
    world_begin(&world, BUFFERING_INFINITE);
    WAITS(0, (1, 2), send(1, 5, 10, 1, WIRE_STANDARD), send(1, 6, 11, 2, WIRE_STANDARD));
    cr_assert(expects(0, &expected.answer));
    settle(&world);
    const struct resolution *answer = ready(&world, 0);
    cr_assert_eq(memcmp(answer, &expected, sizeof *answer + 2 * sizeof answer->completion[0]), 0);
}

Test(expecting, no_other_answer_is_known_before) {
    union {
        struct resolution answer;
        char room[EXPECTED_ANSWER_BYTES];
    } expected;
    world_begin(&world, BUFFERING_INFINITE);
    WAITS(0, (1), receive(1, 5, 100, 1));
    WAITS(1, (1), send(2, 5, 10, 1, WIRE_SYNCHRONOUS));
    WAITS(2, (1, 2), send(1, 5, 10, 1, WIRE_STANDARD), receive(1, 5, 100, 2));
    for (unsigned rank = 0; rank < RANKS; rank++)
        cr_assert_not(expects(rank, &expected.answer), "rank %u", rank);
}

Test(buffering, a_standard_send_may_but_need_not_be_buffered) {
    world_begin(&world, BUFFERING_ALL);
    WAITS(0, (1), send(1, 5, 10, 1, WIRE_STANDARD));
    settle(&world);
    cr_assert_null(ready(&world, 0));
    cr_assert(has_optional(&world, 0));
    take_optional(&world, 0);
    cr_assert_not_null(ready(&world, 0));
}

Test(buffering, none_never_buffers_and_infinite_always_does) {
    world_begin(&world, BUFFERING_NONE);
    WAITS(0, (1), send(1, 5, 10, 1, WIRE_STANDARD));
    settle(&world);
    cr_assert(!ready(&world, 0) && choices(&world, 0) == 0);
    world_begin(&world, BUFFERING_INFINITE);
    WAITS(0, (1), send(1, 5, 10, 1, WIRE_STANDARD));
    settle(&world);
    cr_assert_not_null(ready(&world, 0));
}

Test(buffering, a_synchronous_send_is_never_buffered) {
    world_begin(&world, BUFFERING_INFINITE);
    WAITS(0, (1), send(1, 5, 10, 1, WIRE_SYNCHRONOUS));
    settle(&world);
    cr_assert(!ready(&world, 0) && choices(&world, 0) == 0);
}

Test(buffering, a_reported_buffered_message_is_still_received) {
    world_begin(&world, BUFFERING_NONE);
    WAITS(0, (1), send(1, 5, 10, 1, WIRE_BUFFERED));
    settle(&world);
    world_do(&world, 0, ready(&world, 0), NULL, 0, WIRE_CALL_WAIT_ALL, REQUESTS(9), 1);
    WAITS(1, (1), receive(0, 5, 100, 1));
    settle(&world);
    cr_assert_eq(ready(&world, 1)->completion[0].payload, 10);
}

/* Two complete requests: Waitany has two choices, Waitsome three sets, Testall one answer besides "not yet". */
static unsigned choices_of(enum wire_call_kind kind) {
    world_begin(&world, BUFFERING_NONE);
    DO(&world, 0, kind, (1, 2), receive(1, ANY, 100, 1), receive(2, ANY, 100, 2));
    WAITS(1, (1), send(0, 5, 10, 1, WIRE_STANDARD));
    WAITS(2, (1), send(0, 5, 11, 1, WIRE_STANDARD));
    settle(&world);
    return ready(&world, 0) ? 99 : choices(&world, 0);
}
Test(completion, each_form_of_wait_and_test_has_its_answers) {
    cr_assert_eq(choices_of(WIRE_CALL_WAIT_ALL), 99, "determined");
    cr_assert_eq(choices_of(WIRE_CALL_WAIT_ANY), 2);
    cr_assert_eq(choices_of(WIRE_CALL_WAIT_SOME), 3);
    cr_assert_eq(choices_of(WIRE_CALL_TEST_ALL), 1);
    cr_assert_eq(choices_of(WIRE_CALL_TEST_ANY), 2);
    cr_assert_eq(choices_of(WIRE_CALL_TEST_SOME), 3);
}

Test(completion, a_test_may_always_say_not_yet) {
    const struct transition *list;
    choices_of(WIRE_CALL_TEST_ALL);
    size_t count = transitions(&world, &list);
    cr_assert(count == 2 && !list[0].miss && list[1].miss, "the real answer first, the miss last");
}

Test(probe, finds_each_senders_first_message_and_leaves_it) {
    world_begin(&world, BUFFERING_NONE);
    WAITS(1, (1), send(0, 5, 10, 1, WIRE_STANDARD));
    WAITS(2, (1), send(0, 6, 11, 1, WIRE_STANDARD));
    world_probe(&world, 0, WIRE_CALL_PROBE, ANY, ANY);
    settle(&world);
    cr_assert_eq(choices(&world, 0), 2);
    const struct resolution *answer = take_from(&world, 0, 2);
    cr_assert(answer->kind == WIRE_FOUND && answer->completion[0].tag == 6 && !answer->completion[0].with_data);
    world_do(&world, 0, answer, (struct operation[]){receive(2, 6, 100, 1)}, 1, WIRE_CALL_WAIT_ALL, REQUESTS(1), 1);
    settle(&world);
    cr_assert_eq(ready(&world, 0)->completion[0].payload, 11);
}

Test(probe, a_message_due_to_a_posted_receive_is_not_found) {
    world_begin(&world, BUFFERING_NONE);
    WAITS(1, (1), send(0, 5, 10, 1, WIRE_STANDARD));
    struct resolution go = {.kind = WIRE_GO};
    world_do(&world, 0, &go, (struct operation[]){receive(1, 5, 100, 1)}, 1, WIRE_CALL_TEST_ALL, REQUESTS(1), 1);
    settle(&world); /* matched with the receive: gone from the channel */
    world_probe(&world, 0, WIRE_CALL_PROBE, 1, ANY);
    settle(&world);
    cr_assert(!ready(&world, 0) && !can_match(&world, 0, 1));
}

Test(probe, a_matched_probe_takes_the_message_from_all_others) {
    world_begin(&world, BUFFERING_NONE);
    WAITS(1, (1), send(0, 5, 10, 1, WIRE_SYNCHRONOUS));
    world_probe(&world, 0, WIRE_CALL_MPROBE, 1, 5);
    settle(&world);
    const struct resolution *answer = ready(&world, 0);
    cr_assert(answer && answer->completion[0].with_data);
    world_do(&world, 0, answer, (struct operation[]){receive(1, 5, 100, 1)}, 1, WIRE_CALL_WAIT_ALL, REQUESTS(1), 1);
    settle(&world);
    cr_assert_null(ready(&world, 0), "the only message is claimed");
    cr_assert_null(ready(&world, 1), "a synchronous send waits for the receive, not for the probe (3.8.2)");
}

Test(cancel, an_unmatched_receive_may_be_withdrawn_or_matched) {
    world_begin(&world, BUFFERING_NONE);
    mpi_model_expect(world.model, &(struct expectations){.cancels = CANCELS_MOST + 1});
    WAITS(0, (1), receive(1, 5, 100, 1), simple(WIRE_CANCEL, 1));
    settle(&world);
    cr_assert_eq(choices(&world, 0), 1);
    WAITS(1, (1), send(0, 5, 10, 1, WIRE_STANDARD));
    settle(&world);
    cr_assert_eq(choices(&world, 0), 2);
    take_from(&world, 0, 0);
    const struct resolution *answer = ready(&world, 0);
    cr_assert(answer && answer->completion[0].cancelled);
    cr_assert_null(ready(&world, 1));
}

Test(cancel, is_a_surprise_unless_expected) {
    world_begin(&world, BUFFERING_NONE);
    WAITS(0, (1), receive(1, 5, 100, 1), simple(WIRE_CANCEL, 1));
    cr_assert(mpi_model_surprised(world.model));
}

Test(cancel, of_some_receives_leaves_others_determined) {
    world_begin(&world, BUFFERING_NONE);
    mpi_model_expect(world.model, &(struct expectations){.cancels = 1, .cancelling = {{0, WIRE_RECEIVE, 100}}});
    WAITS(0, (3), receive(2, 100, 10, 1), receive(1, 200, 10, 2), receive(1, 300, 10, 3));
    WAITS(1, (1), send(0, 200, 10, 1, WIRE_STANDARD));
    WAITS(2, (1), send(0, 100, 10, 1, WIRE_STANDARD));
    settle(&world);
    cr_assert(ready(&world, 1));
    cr_assert_null(ready(&world, 2));
    cr_assert_eq(choices(&world, 0), 1);
}

Test(components, equal_content_is_one_number) {
    world_begin(&world, BUFFERING_NONE);
    WAITS(0, (1), receive(1, 5, 100, 1));
    uint32_t first = world.state[0];
    world.state[0] = mpi_model_initial(world.model, 0);
    world.next_local = RANKS; /* the same local state is reached again */
    WAITS(0, (1), receive(1, 5, 100, 1));
    cr_assert_eq(world.state[0], first);
    world.state[0] = mpi_model_initial(world.model, 0);
    world.next_local = RANKS;
    WAITS(0, (1), receive(1, 6, 100, 1));
    cr_assert_neq(world.state[0], first);
}

Test(influences, a_wildcard_is_influenced_by_those_who_have_not_sent) {
    world_begin(&world, BUFFERING_NONE);
    WAITS(0, (1), receive(ANY, ANY, 100, 1));
    WAITS(1, (1), send(0, 5, 10, 1, WIRE_STANDARD));
    settle(&world);
    cr_assert(!influenced_by(&world, 0, 1) && influenced_by(&world, 0, 2));
    cr_assert(influenced_by(&world, 1, 0), "a blocked send waits for its receiver");
}
