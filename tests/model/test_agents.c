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

/* ---- requests that commute ---- */

static uint32_t then[2 * RANKS];

/* Rank 2 changes something after a barrier with rank 1, as is known. Nobody has entered it, and the agent listens. */
static void see_rank_2_change_after_a_barrier(enum wire_receive_mode mode) {
    begin();
    for (unsigned rank = 0; rank < 2 * RANKS; rank++)
        then[rank] = world.state[rank];
    struct operation barrier = collective(WIRE_ALL_TO_ALL, -1, 0), listens = receive(ANY, WIRE_ANY_TAG, 100, 1);
    barrier.context = mpi_model_context(world.model, 77, (const int32_t[]){1, 2}, 2);
    DO(&world, 2, WIRE_CALL_COLLECTIVE, (9), barrier);
    ask(2);
    for (unsigned rank = 0; rank < 2 * RANKS; rank++)
        world.state[rank] = then[rank];
    mpi_model_assume(world.model, true);
    listens.mode = (uint8_t)mode;
    DO(&world, AGENT_OF_0, WIRE_CALL_WAIT_ALL, (1), listens);
}

/* The rank asks the agent for something that only reads, and waits for a message from `from`. */
static void read_and_wait(unsigned rank, int from) {
    DO(&world, rank, WIRE_CALL_WAIT_ALL, (2), send(AGENT_OF_0, WIRE_READS, 4, WIRE_NO_REQUEST, WIRE_BUFFERED),
       receive(from, TAG, 4, 2));
}

/* Does the agent's first transition commute with whatever it may do before, and as long as who does not move? */
static bool first_commutes(struct rank_set *without) {
    const struct transition *list;
    size_t count = transitions(&world, &list);
    cr_assert_geq(count, 1);
    cr_assert_eq(list[0].owner, AGENT_OF_0);
    struct rank_set rivals = {{0}};
    *without = (struct rank_set){{0}};
    return mpi_model_commutes(world.model, world.state, &list[0], &rivals, without, true) && rank_set_is_empty(&rivals);
}

Test(agents, serve_reads_of_calm_windows_in_one_order) {
    struct rank_set without;
    see_rank_2_change_after_a_barrier(WIRE_CALM);
    read_and_wait(0, AGENT_OF_0);
    read_and_wait(1, AGENT_OF_0);
    settle(&world);
    cr_assert(first_commutes(&without));
    cr_assert(rank_set_has(&without, 2), "rank 0 is not in the barrier: rank 2 may come to its change before rank 0 is served");
    cr_assert_not(rank_set_has(&without, 1));
}

Test(agents, serve_who_holds_up_a_barrier_before_what_comes_after_it) {
    struct rank_set without;
    see_rank_2_change_after_a_barrier(WIRE_CALM);
    read_and_wait(1, AGENT_OF_0);
    settle(&world);
    cr_assert(first_commutes(&without));
    cr_assert(rank_set_is_empty(&without));
}

Test(agents, need_not_serve_who_waits_for_another_before_what_comes_after_a_barrier) {
    struct rank_set without;
    see_rank_2_change_after_a_barrier(WIRE_CALM);
    read_and_wait(1, 0);
    settle(&world);
    cr_assert(first_commutes(&without));
    cr_assert(rank_set_has(&without, 2));
}

Test(agents, serve_reads_in_any_order_with_what_changes) {
    struct rank_set without;
    see_rank_2_change_after_a_barrier(WIRE_CALM);
    read_and_wait(0, AGENT_OF_0);
    ask(1);
    settle(&world);
    cr_assert_not(first_commutes(&without));
}

Test(agents, serve_reads_in_any_order_where_a_lock_is_waited_for) {
    struct rank_set without;
    see_rank_2_change_after_a_barrier(WIRE_FATAL_ERRORS);
    read_and_wait(0, AGENT_OF_0);
    read_and_wait(1, AGENT_OF_0);
    settle(&world);
    cr_assert_not(first_commutes(&without));
}

/* ---- what requests touch ---- */

/* Both ranks ask the agent, whose first transition is the request of rank 0, for what touches this. */
static void ask_for(const struct wire_touches touches[2], const struct wire_touch *const touch[2]) {
    see_rank_2_change_after_a_barrier(WIRE_CALM);
    for (unsigned rank = 0; rank < 2; rank++) {
        struct operation request = send(AGENT_OF_0, TAG, 4, WIRE_NO_REQUEST, WIRE_BUFFERED);
        request.touches = mpi_model_touches(world.model, &touches[rank], touch[rank]);
        DO(&world, rank, WIRE_CALL_WAIT_ALL, (2), request, receive(AGENT_OF_0, TAG, 4, 2));
    }
    settle(&world);
}

/* ... these bytes of its window. */
static void ask_touching(struct wire_touch one, struct wire_touch other, uint64_t other_window) {
    ask_for((const struct wire_touches[]){{.name = 10, .window = 5, .touches = 1},
                                          {.name = 11, .window = other_window, .touches = 1}},
            (const struct wire_touch *const[]){&one, &other});
}

static bool commute_touching(struct wire_touch one, struct wire_touch other, uint64_t other_window) {
    struct rank_set without;
    ask_touching(one, other, other_window);
    return first_commutes(&without);
}

enum { SUM = 100, PRODUCT };

Test(agents, serve_what_touches_different_bytes_in_one_order) {
    struct rank_set without;
    ask_touching((struct wire_touch){0, 7, WIRE_TOUCH_ALONE}, (struct wire_touch){8, 11, WIRE_TOUCH_ALONE}, 5);
    cr_assert(first_commutes(&without));
    cr_assert(rank_set_has(&without, 2), "it is not known what rank 2 will touch");
}

Test(agents, serve_what_touches_a_byte_alone_in_any_order) {
    cr_assert_not(
        commute_touching((struct wire_touch){0, 8, WIRE_TOUCH_ALONE}, (struct wire_touch){8, 11, WIRE_TOUCH_ALONE}, 5));
}

Test(agents, serve_what_touches_different_windows_in_one_order) {
    cr_assert(commute_touching((struct wire_touch){0, 8, WIRE_TOUCH_ALONE}, (struct wire_touch){8, 11, WIRE_TOUCH_ALONE}, 6));
}

Test(agents, serve_what_touches_the_same_in_one_manner_in_one_order) {
    cr_assert(commute_touching((struct wire_touch){0, 7, SUM}, (struct wire_touch){4, 11, SUM}, 5));
}

Test(agents, serve_what_touches_the_same_in_two_manners_in_any_order) {
    cr_assert_not(commute_touching((struct wire_touch){0, 7, SUM}, (struct wire_touch){4, 11, PRODUCT}, 5));
}

Test(agents, serve_what_reads_in_any_order_with_what_touches_the_same_otherwise) {
    cr_assert_not(commute_touching((struct wire_touch){0, 7, WIRE_TOUCH_READS}, (struct wire_touch){4, 11, SUM}, 5));
}

/* What is done in this way to bytes that are accumulated to. */
static uint64_t accumulating(uint64_t what, enum wire_accumulating how) {
    return WIRE_TOUCH_ACCUMULATES | (what * (WIRE_ACCUMULATING + 1)) | (uint64_t)how;
}

static bool commute_accumulating(uint64_t one, uint64_t other) {
    return commute_touching((struct wire_touch){0, 7, one}, (struct wire_touch){0, 7, other}, 5);
}

Test(agents, serve_additions_in_one_order_and_what_fetches_besides_in_any) {
    cr_assert(commute_accumulating(accumulating(SUM, WIRE_ADDS), accumulating(SUM, WIRE_ADDS)));
    cr_assert_not(commute_accumulating(accumulating(SUM, WIRE_IN_ORDER), accumulating(SUM, WIRE_IN_ORDER)));
    cr_assert_not(commute_accumulating(accumulating(SUM, WIRE_ADDS), accumulating(SUM, WIRE_IN_ORDER)));
}

Test(agents, serve_what_completes_an_accumulate_in_one_order_with_all_like_it) {
    cr_assert(commute_accumulating(accumulating(SUM, WIRE_COMPLETES), accumulating(SUM, WIRE_COMPLETES)));
    cr_assert(commute_accumulating(accumulating(SUM, WIRE_COMPLETES), accumulating(SUM, WIRE_ADDS)));
    cr_assert(commute_accumulating(accumulating(SUM, WIRE_IN_ORDER), accumulating(SUM, WIRE_COMPLETES)));
}

Test(agents, serve_what_completes_an_accumulate_in_any_order_with_what_is_not_like_it) {
    cr_assert_not(commute_accumulating(accumulating(SUM, WIRE_COMPLETES), accumulating(PRODUCT, WIRE_COMPLETES)));
    cr_assert_not(commute_accumulating(accumulating(SUM, WIRE_COMPLETES), accumulating(PRODUCT, WIRE_ADDS)));
    cr_assert_not(commute_accumulating(accumulating(SUM, WIRE_COMPLETES), WIRE_TOUCH_ALONE));
    cr_assert_not(commute_accumulating(accumulating(SUM, WIRE_COMPLETES), WIRE_TOUCH_READS));
}

/* Rank 0 asks for accesses of these phases, to these bytes (NULL: any), rank 1 makes one to bytes 0 to 7 in others. */
static bool commute_asking_there(uint16_t asked, const struct wire_touch *there, uint16_t made) {
    const struct wire_touch touch = {0, 7, WIRE_TOUCH_ALONE};
    struct rank_set without;
    ask_for((const struct wire_touches[]){{.name = 10, .window = 5, .asks = 1, .phases = asked, .touches = there != NULL},
                                          {.name = 11, .window = 5, .touches = 1, .phases = made}},
            (const struct wire_touch *const[]){there, &touch});
    return first_commutes(&without);
}

static bool commute_asking(uint16_t asked, uint16_t made) { return commute_asking_there(asked, NULL, made); }

Test(agents, serve_who_asks_for_some_bytes_and_what_is_done_beside_them_in_one_order) {
    cr_assert(commute_asking_there(5, &(struct wire_touch){8, 11, WIRE_TOUCH_READS}, 4));
}

Test(agents, serve_who_asks_for_some_bytes_and_what_is_done_to_them_in_any_order) {
    cr_assert_not(commute_asking_there(5, &(struct wire_touch){7, 11, WIRE_TOUCH_READS}, 4));
}

Test(agents, serve_who_asks_for_some_bytes_and_what_is_done_to_them_in_another_phase_in_one_order) {
    cr_assert(commute_asking_there(5, &(struct wire_touch){7, 11, WIRE_TOUCH_READS}, 2));
}

Test(agents, serve_who_asks_for_some_phases_and_what_is_done_in_another_in_one_order) { cr_assert(commute_asking(5, 2)); }

Test(agents, serve_who_asks_for_some_phases_and_what_is_done_in_one_of_them_in_any_order) {
    cr_assert_not(commute_asking(5, 4));
}

Test(agents, serve_who_asks_and_what_completes_accesses_of_several_phases_in_any_order) { cr_assert_not(commute_asking(5, 6)); }

Test(agents, do_not_know_what_was_never_said_to_be_touched) {
    begin();
    cr_assert_eq(mpi_model_touches_named(world.model, 10), 0);
    const uint32_t number = mpi_model_touches(world.model, &(struct wire_touches){.name = 10}, NULL);
    cr_assert_neq(number, 0);
    cr_assert_eq(mpi_model_touches_named(world.model, 10), number);
}
