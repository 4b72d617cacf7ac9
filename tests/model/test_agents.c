/* Agents: ranks behind the program's that keep the public copies of windows (protocol.h). */
#include "tests/model/builder.h"

#include <criterion/criterion.h>

enum { AGENT_OF_0 = RANKS, TAG = 1 };

static struct world world;

static void begin(void) {
    world_begin(&world, BUFFERING_ALL);
    world_add_agents(&world);
}

static void enter_barrier(unsigned rank) { DO(&world, rank, WIRE_CALL_COLLECTIVE, (9), collective(WIRE_ALL_TO_ALL, -1, 7)); }

static void ask(unsigned rank) {
    DO(&world, rank, WIRE_CALL_WAIT_ALL, (2), send(AGENT_OF_0, TAG, 4, WIRE_NO_REQUEST, WIRE_BUFFERED),
       receive(AGENT_OF_0, TAG, 4, 2));
}

static void listen(int from) { DO(&world, AGENT_OF_0, WIRE_CALL_WAIT_ALL, (1), receive(from, TAG, 100, 1)); }

Test(agents, are_no_members_of_the_world) {
    begin();
    listen(ANY);
    for (unsigned rank = 0; rank < RANKS; rank++)
        enter_barrier(rank);
    settle(&world);
    cr_assert_not_null(ready(&world, 0));
    cr_assert_not(influenced_by(&world, AGENT_OF_0, AGENT_OF_0 + 1));
}

Test(agents, serve_requests_in_any_order) {
    begin();
    listen(ANY);
    ask(0);
    ask(2);
    settle(&world);
    cr_assert_eq(choices(&world, AGENT_OF_0), 2);
    cr_assert(influenced_by(&world, AGENT_OF_0, 1));
    cr_assert(influenced_by(&world, 0, AGENT_OF_0));
}

Test(agents, that_listen_to_one_rank_have_no_choice) {
    begin();
    listen(2);
    ask(0);
    ask(2);
    settle(&world);
    cr_assert_eq(choices(&world, AGENT_OF_0), 0);
    cr_assert_not_null(ready(&world, AGENT_OF_0));
    cr_assert_null(ready(&world, 0));
}

Test(agents, are_told_of_as_what_the_rank_does) {
    const struct transition *list;
    struct transition_story story;
    begin();
    listen(ANY);
    ask(2);
    settle(&world);
    cr_assert_eq(transitions(&world, &list), 1);
    mpi_model_tell(world.model, world.state, &list[0], &story);
    cr_assert_eq(story.owner, 2);
    cr_assert_eq(story.partner, 2);
    cr_assert_str_eq(story.detail, "the window of rank 0");
}
