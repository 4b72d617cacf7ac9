/* What ranks are assumed to do: the reduction may rely on it as long as nobody does more. */
#include "tests/model/builder.h"

#include <criterion/criterion.h>

enum { ANYONE = WIRE_ANY_SOURCE, ANY_TAG = WIRE_ANY_TAG };

static struct world world;

static void waits_for(int from, int tag) { DO(&world, 0, WIRE_CALL_WAIT_ALL, (1), receive(from, tag, 4, 1)); }

/* Rank 1 sends to rank 0, which receives it; both have gone on. */
static void exchange(int tag) {
    DO(&world, 1, WIRE_CALL_WAIT_ALL, (1), send(0, tag, 4, 1, WIRE_STANDARD));
    waits_for(1, tag);
    settle(&world);
}

Test(acts, before_anything_is_assumed_everybody_may_send) {
    world_begin(&world, BUFFERING_NONE);
    waits_for(ANYONE, ANY_TAG);
    settle(&world);
    cr_assert(influenced_by(&world, 0, 1));
    cr_assert(influenced_by(&world, 0, 2));
}

Test(acts, only_who_was_seen_to_send_is_assumed_to) {
    world_begin(&world, BUFFERING_NONE);
    exchange(5);
    mpi_model_assume(world.model, false);
    waits_for(ANYONE, ANY_TAG);
    settle(&world);
    cr_assert(influenced_by(&world, 0, 1));
    cr_assert_not(influenced_by(&world, 0, 2));
}

Test(acts, tags_are_told_apart) {
    world_begin(&world, BUFFERING_NONE);
    exchange(5);
    mpi_model_assume(world.model, false);
    waits_for(ANYONE, 6);
    settle(&world);
    cr_assert_not(influenced_by(&world, 0, 1));
    waits_for(ANYONE, 5);
    settle(&world);
    cr_assert(influenced_by(&world, 0, 1));
}

Test(acts, doing_more_than_assumed_is_noticed) {
    world_begin(&world, BUFFERING_NONE);
    exchange(5);
    mpi_model_assume(world.model, false);
    cr_assert(mpi_model_assumed_enough(world.model));
    exchange(5);
    cr_assert(mpi_model_assumed_enough(world.model), "nothing new");
    exchange(6);
    cr_assert_not(mpi_model_assumed_enough(world.model));
    mpi_model_assume(world.model, false);
    cr_assert(mpi_model_assumed_enough(world.model));
}

/* Rank 1's send waits for rank 0, which was seen to receive with tag 5 only. */
Test(acts, only_who_was_seen_to_receive_is_assumed_to) {
    world_begin(&world, BUFFERING_NONE);
    exchange(5);
    mpi_model_assume(world.model, false);
    DO(&world, 1, WIRE_CALL_WAIT_ALL, (1), send(0, 6, 4, 1, WIRE_SYNCHRONOUS));
    settle(&world);
    cr_assert_not(influenced_by(&world, 1, 0));
    mpi_model_assume(world.model, false);
    DO(&world, 1, WIRE_CALL_WAIT_ALL, (1), send(0, 5, 4, 1, WIRE_SYNCHRONOUS));
    settle(&world);
    cr_assert(influenced_by(&world, 1, 0));
}

/* Rank 1 may receive at any time; that ends only a call that does not wait for a receive as well, from rank 2. */
Test(acts, who_receives_matters_where_that_may_end_the_call) {
    world_begin(&world, BUFFERING_NONE);
    DO(&world, 0, WIRE_CALL_WAIT_ALL, (1, 2), receive(2, 5, 4, 1), send(1, 6, 4, 2, WIRE_SYNCHRONOUS));
    settle(&world);
    cr_assert_not(influenced_by(&world, 0, 1));
    world_begin(&world, BUFFERING_NONE);
    DO(&world, 0, WIRE_CALL_WAIT_ANY, (1, 2), receive(2, 5, 4, 1), send(1, 6, 4, 2, WIRE_SYNCHRONOUS));
    settle(&world);
    cr_assert(influenced_by(&world, 0, 1));
    world_begin(&world, BUFFERING_NONE);
    DO(&world, 0, WIRE_CALL_WAIT_ALL, (2), receive(2, 5, 4, 1), send(1, 6, 4, 2, WIRE_SYNCHRONOUS));
    settle(&world);
    cr_assert(influenced_by(&world, 0, 1));
}

/* More messages than are told apart, which are 4096: anything is assumed, and that is enough. The time grows with their square. */
Test(acts, more_than_can_be_listed_are_enough) {
    world_begin(&world, BUFFERING_NONE);
    for (int tag = 0; tag < 4100; tag++)
        exchange(tag);
    mpi_model_assume(world.model, false);
    cr_assert(mpi_model_assumed_enough(world.model));
}
