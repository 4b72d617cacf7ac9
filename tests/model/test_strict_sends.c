/* Ready sends (MPI-3.1 section 3.4) and the buffer of buffered ones (section 3.6). Payload p is p bytes; each message takes
 * WIRE_BSEND_OVERHEAD bytes more of the buffer. */
#include "models/mpi/functions.h"
#include "tests/model/builder.h"

#include <criterion/criterion.h>

static struct world world;

#define WAITS(rank, requests, ...) DO(&world, rank, WIRE_CALL_WAIT_ALL, requests, __VA_ARGS__)

static struct operation bsend(int to, uint32_t payload, uint64_t room) {
    struct operation operation = send(to, 5, payload, WIRE_NO_REQUEST, WIRE_BUFFERED);
    operation.capacity = room;
    return operation;
}

static const char *broken_rule(void) {
    struct violation violation;
    return mpi_model_settle(world.model, world.state, &violation) ? "none" : violation.class_name;
}

Test(ready_send, needs_a_receive_posted_before_it) {
    world_begin(&world, BUFFERING_ALL);
    WAITS(1, (1), receive(0, 5, 100, 1));
    WAITS(0, (1), send(1, 5, 10, 1, WIRE_READY));
    cr_assert_str_eq(broken_rule(), "none");
}

Test(ready_send, is_wrong_before_the_receive_though_the_receive_comes_at_once) {
    world_begin(&world, BUFFERING_ALL);
    WAITS(0, (1), send(1, 5, 10, 1, WIRE_READY));
    WAITS(1, (1), receive(0, 5, 100, 1));
    cr_assert_str_eq(broken_rule(), "invalid-argument");
}

Test(ready_send, two_need_two_receives) {
    world_begin(&world, BUFFERING_ALL);
    WAITS(1, (1, 2), receive(ANY, ANY, 100, 1), receive(0, 5, 100, 2));
    WAITS(0, (1, 2), send(1, 5, 10, 1, WIRE_READY), send(1, 5, 10, 2, WIRE_READY));
    cr_assert_str_eq(broken_rule(), "none");
    world_begin(&world, BUFFERING_ALL);
    WAITS(1, (1), receive(ANY, ANY, 100, 1));
    WAITS(0, (1, 2), send(1, 5, 10, 1, WIRE_READY), send(1, 5, 10, 2, WIRE_READY));
    cr_assert_str_eq(broken_rule(), "invalid-argument");
}

Test(ready_send, a_receive_for_another_tag_or_source_does_not_count) {
    world_begin(&world, BUFFERING_ALL);
    WAITS(1, (1, 2), receive(0, 6, 100, 1), receive(2, 5, 100, 2));
    WAITS(0, (1), send(1, 5, 10, 1, WIRE_READY));
    cr_assert_str_eq(broken_rule(), "invalid-argument");
}

/* A message before it may take the one receive that would do for both, but not one that only it can take. */
Test(ready_send, what_is_sent_before_takes_receives_first) {
    world_begin(&world, BUFFERING_ALL);
    WAITS(1, (1), receive(0, ANY, 100, 1));
    WAITS(0, (1, 2), send(1, 6, 10, 1, WIRE_STANDARD), send(1, 5, 10, 2, WIRE_READY));
    cr_assert_str_eq(broken_rule(), "invalid-argument");
    world_begin(&world, BUFFERING_ALL);
    WAITS(1, (1), receive(0, 5, 100, 1));
    WAITS(0, (1, 2), send(1, 6, 10, 1, WIRE_STANDARD), send(1, 5, 10, 2, WIRE_READY));
    cr_assert_str_eq(broken_rule(), "none");
    world_begin(&world, BUFFERING_ALL);
    WAITS(1, (1, 2), receive(0, 5, 100, 1), receive(0, ANY, 100, 2));
    WAITS(0, (1, 2), send(1, 6, 10, 1, WIRE_STANDARD), send(1, 5, 10, 2, WIRE_READY));
    cr_assert_str_eq(broken_rule(), "none");
}

/* That is what MPI_Win_start with MPI_MODE_NOCHECK is: the receive is MPI_Win_post's. */
Test(ready_send, of_an_epoch_that_begins_unchecked_is_a_rule_of_epochs) {
    struct operation start = send(1, 5, 0, 1, WIRE_READY);
    start.function = FUNCTION_MPI_Win_start;
    world_begin(&world, BUFFERING_ALL);
    WAITS(0, (1), start);
    WAITS(1, (1), receive(0, 5, 100, 1));
    cr_assert_str_eq(broken_rule(), "rma-epoch");
}

Test(buffered_send, messages_share_the_buffer_until_they_are_received) {
    const uint64_t room = 2 * (10 + WIRE_BSEND_OVERHEAD);
    world_begin(&world, BUFFERING_ALL);
    WAITS(0, (1), bsend(1, 10, room), bsend(1, 10, room), receive(2, 0, 100, 1));
    cr_assert_str_eq(broken_rule(), "none");
    WAITS(1, (1), receive(0, 5, 100, 1));
    cr_assert_str_eq(broken_rule(), "none");
    /* One has been received, so there is room for one more, and no further. */
    WAITS(0, (2), bsend(1, 10, room), receive(2, 0, 100, 2));
    cr_assert_str_eq(broken_rule(), "none");
    WAITS(0, (3), bsend(1, 10, room), receive(2, 0, 100, 3));
    cr_assert_str_eq(broken_rule(), "invalid-argument");
}

static void detach_with_one_message(enum buffering buffering) {
    world_begin(&world, buffering);
    world_do(&world, 0, NULL, (struct operation[]){bsend(1, 10, 1000)}, 1, WIRE_CALL_DETACH, NULL, 0);
    settle(&world);
}

Test(detach, waits_for_the_receive_unless_the_message_was_sent_off) {
    detach_with_one_message(BUFFERING_ALL);
    cr_assert_null(ready(&world, 0));
    cr_assert(has_optional(&world, 0), "the network may take the message");
    cr_assert(influenced_by(&world, 0, 1));
    cr_assert_null(take_optional(&world, 0));
    settle(&world);
    cr_assert_not_null(ready(&world, 0));
}

Test(detach, ends_when_the_message_is_received) {
    detach_with_one_message(BUFFERING_NONE);
    cr_assert_null(ready(&world, 0));
    cr_assert_not(has_optional(&world, 0));
    WAITS(1, (1), receive(0, 5, 100, 1));
    settle(&world);
    cr_assert_not_null(ready(&world, 0));
    cr_assert_eq(ready(&world, 1)->completion[0].payload, 10);
}

Test(detach, never_waits_where_everything_is_buffered) {
    detach_with_one_message(BUFFERING_INFINITE);
    cr_assert_not_null(ready(&world, 0));
}
