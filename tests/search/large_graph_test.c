/* What a large graph teaches only at its end must start the search over all the same. Rank 0 hears 15 others, 2^15 states; only
 * if they come from the last to the first, the ordering that is farthest from the reference, it tells ranks 1 to 3 to go on.
 * Then two of them send to the third, one of them after it has received from anyone itself: that it will send is known by then
 * to nobody who has not been there before. Whose message the third prints is open. */
#include "explorer/search/search.h"
#include "tests/search/toy_ranks.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { OTHERS = 15, FIRST = 5, ALL = FIRST + OTHERS, ANYONE = WIRE_ANY_SOURCE, GO = 1, ANSWER = 2, FEED = 3, BLOCK = 4 };

typedef struct toy_instruction program;

/* For each message two places, one for orders that still fall, one for all others. */
static void collect(program *at, int go) {
    program *falls = at, *other = at + OTHERS * BLOCK + 5;
    const int other_from = (int)(other - at);
    for (int i = 0; i < OTHERS; i++, falls += BLOCK, other += BLOCK) {
        falls[0] = (program){TOY_RECV, ANYONE, 0, 1, TOY_NOWHERE};
        falls[1] = (program){TOY_JUMP_IF, i * BLOCK + 3, 1, OTHERS - i, 0};
        falls[2] = (program){TOY_JUMP, other_from + i * BLOCK + 1, 0, 0, 0};
        falls[3] = (program){TOY_SET, 1, 0, 0, 0};
        other[0] = (program){TOY_RECV, ANYONE, 0, 1, TOY_NOWHERE};
        other[1] = (program){TOY_SET, 1, 0, 0, 0};
        other[2] = other[3] = (program){TOY_SET, 1, 0, 0, 0};
    }
    for (int i = 0; i < 3; i++) {
        falls[i] = (program){TOY_SEND, 1 + i, GO, go, 0};
        other[i] = (program){TOY_SEND, 1 + i, GO, 2, 0};
    }
    falls[3] = other[3] = (program){TOY_EXIT, 0, 0, 0, 0};
}

struct seen {
    size_t outcomes;
    uint64_t states;
};

/* Of ranks 1 to 3 one prints, and one of the others is fed: it receives before it sends. `go`: 1, or 2, and they never do. */
static struct seen explore(int prints, int fed, int go, unsigned workers) {
    static program collector[2 * (OTHERS * BLOCK + 5)], sender[OTHERS][2];
    const program feeder[] = {{TOY_SEND, fed, FEED, 3, 0}, {0}};
    const program direct[] = {
        {TOY_RECV, 0, GO, 0, TOY_NOWHERE}, {TOY_JUMP_IF, 3, 0, 2, 0}, {TOY_SEND, prints, ANSWER, 7, 0}, {0}};
    const program after[] = {{TOY_RECV, 0, GO, 0, TOY_NOWHERE},
                             {TOY_JUMP_IF, 5, 0, 2, 0},
                             {TOY_RECV, ANYONE, FEED, 1, TOY_NOWHERE},
                             {TOY_SEND, prints, ANSWER, 8, 0},
                             {0},
                             {TOY_RECV, 4, FEED, 1, TOY_NOWHERE},
                             {0}};
    const program printer[] = {
        {TOY_RECV, 0, GO, 0, TOY_NOWHERE},          {TOY_JUMP_IF, 5, 0, 2, 0}, {TOY_RECV, ANYONE, ANSWER, 1, TOY_NOWHERE},
        {TOY_RECV, ANYONE, ANSWER, 2, TOY_NOWHERE}, {TOY_PRINT, 1, 0, 0, 0},   {0}};
    const program *programs[ALL] = {collector, direct, direct, direct, feeder};
    int32_t members[ALL];
    collect(collector, go);
    programs[prints] = printer;
    programs[fed] = after;
    for (int i = 0; i < OTHERS; i++) {
        sender[i][0] = (program){TOY_SEND, 0, 0, i + 1, 0};
        programs[FIRST + i] = sender[i];
    }
    for (int rank = 0; rank < ALL; rank++)
        members[rank] = rank;
    struct toy *toy = toy_create(ALL, programs);
    struct step_source steps = toy_steps(toy);
    struct mpi_model *model = mpi_model_create(ALL, BUFFERING_INFINITE, toy_payload_size, NULL);
    mpi_model_context(model, WIRE_WORLD_CONTEXT, members, ALL);
    const struct search_options options = {
        .buffering = BUFFERING_INFINITE, .keep_going = true, .workers = workers, .blind_from = workers > 1};
    struct search *search = search_create(ALL, model, &steps, &options, NULL, NULL, NULL, NULL);
    const uint64_t *list;
    cr_assert_eq(search_run(search), SEARCH_COMPLETE);
    cr_assert_gt(search_statistics(search)->states, 1 << OTHERS);
    struct seen seen = {search_outcomes(search, &list), search_statistics(search)->states};
    search_destroy(search);
    mpi_model_destroy(model);
    toy_destroy(toy);
    return seen;
}

/* That it does not fall, and whose is printed if it does. */
Test(large_graph, starts_over_when_it_has_learnt_something_at_its_end) {
    cr_assert_eq(explore(3, 1, 1, 1).outcomes, 3);
    cr_assert_eq(explore(1, 3, 1, 1).outcomes, 3);
}

/* None is lost where the set of states has to grow while they are shared out. */
Test(large_graph, has_the_same_states_with_several_workers) {
    const struct seen alone = explore(3, 1, 2, 1);
    for (unsigned workers = 2; workers <= 4; workers++) {
        const struct seen together = explore(3, 1, 2, workers);
        cr_assert_eq(together.outcomes, 1);
        cr_assert_eq(together.states, alone.states);
    }
}
