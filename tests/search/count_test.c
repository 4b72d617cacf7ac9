/* The number of orderings that a graph stands for, and that there is none if there is no time to count. */
#include "explorer/search/search.h"
#include "tests/search/toy_ranks.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { SENDERS = 13, RANKS = 1 + SENDERS, ANYONE = WIRE_ANY_SOURCE };

/* NULL, or the digits, which are the caller's. */
static char *count(struct search *search, double seconds) {
    struct ordering_count counted = search_count_orderings(search, true, seconds);
    cr_assert(counted.is_exact);
    cr_assert_null(counted.failing);
    return counted.all;
}

/* Each sends one message to rank 0, which probes before each receive, and may find one and take another: (13!)^2 orderings. Its states
 * are the sets of those taken, twice 8192, with up to 13 edges each. What a probe leads to is not remembered, so that time also ends
 * while an edge is looked for. */
Test(count, is_right_or_missing_however_little_time_there_is) {
    struct toy_instruction receiver[3 * SENDERS + 1] = {0}, sender[SENDERS][2] = {0};
    const struct toy_instruction *programs[RANKS] = {receiver};
    int32_t members[RANKS] = {0};
    for (int i = 0; i < SENDERS; i++) {
        receiver[3 * i] = (struct toy_instruction){TOY_PROBE, ANYONE, 0, 0, 0};
        receiver[3 * i + 1] = (struct toy_instruction){TOY_RECV, ANYONE, 0, 1, TOY_NOWHERE};
        receiver[3 * i + 2] = (struct toy_instruction){TOY_SET, 1, 0, 0, 0};
        sender[i][0] = (struct toy_instruction){TOY_SEND, 0, 0, i + 1, 0};
        programs[1 + i] = sender[i];
        members[1 + i] = 1 + i;
    }
    struct toy *toy = toy_create(RANKS, programs);
    struct step_source steps = toy_steps(toy);
    struct mpi_model *model = mpi_model_create(RANKS, BUFFERING_INFINITE, toy_payload_size, NULL);
    mpi_model_context(model, WIRE_WORLD_CONTEXT, members, RANKS);
    const struct search_options options = {.buffering = BUFFERING_INFINITE, .no_reduction = true};
    struct search *search = search_create(RANKS, model, &steps, &options, NULL, NULL, NULL, NULL);
    cr_assert_eq(search_run(search), SEARCH_COMPLETE);

    unsigned missing = 0;
    char *all = NULL;
    for (double seconds = 1e-4; !all; seconds *= 1.2) {
        all = count(search, seconds);
        missing += all == NULL;
    }
    cr_assert_str_eq(all, "38775788043632640000");
    cr_assert_gt(missing, 0);
    free(all);
    cr_assert_str_eq(all = count(search, 0), "38775788043632640000");
    free(all);

    search_destroy(search);
    mpi_model_destroy(model);
    toy_destroy(toy);
}
