/* Of more complete requests than have all their subsets listed, MPI_Waitsome and MPI_Testsome put a set together by passing
 * over some: every set but the empty one comes, each in one way. */
#include "tests/model/builder.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 9, SETS = (1 << MANY) - 1 };

static struct world world;

struct tally {
    unsigned states, reports, misses;
    bool seen[SETS + 1];
};

/* Which requests the rest of a state are. */
static unsigned set_of(const struct resolution *answer) {
    unsigned set = 0;
    for (uint32_t i = 0; i < answer->completions; i++)
        set |= 1u << answer->completion[i].index;
    return set;
}

static void visit(struct tally *tally, const uint32_t *from) {
    struct transition_list list = {0};
    struct violation violation;
    tally->states++;
    mpi_model_transitions(world.model, from, &list);
    for (size_t i = 0; i < list.count; i++) {
        uint32_t state[2 * RANKS];
        memcpy(state, from, sizeof state);
        tally->misses += list.item[i].miss;
        if (list.item[i].miss)
            continue;
        const struct resolution *answer = mpi_model_take(world.model, state, &list.item[i], &violation);
        if (!answer) {
            cr_assert_neq(state[0], from[0]);
            visit(tally, state);
            continue;
        }
        const unsigned set = set_of(answer);
        tally->reports++;
        cr_assert_neq(set, 0);
        cr_assert_not(tally->seen[set]);
        tally->seen[set] = true;
    }
    free(list.item);
}

static struct tally all_sets(enum wire_call_kind kind) {
    struct tally tally = {0};
    struct operation operation[MANY];
    uint32_t request[MANY];
    world_begin(&world, BUFFERING_INFINITE);
    for (uint32_t i = 0; i < MANY; i++) {
        request[i] = i + 1;
        operation[i] = send(1, 5, 4, i + 1, WIRE_STANDARD);
    }
    world_do(&world, 0, NULL, operation, MANY, kind, request, MANY);
    visit(&tally, world.state);
    return tally;
}

Test(passes, lead_to_every_set_that_waitsome_may_report_once) {
    const struct tally tally = all_sets(WIRE_CALL_WAIT_SOME);
    cr_assert_eq(tally.states, SETS);
    cr_assert_eq(tally.reports, SETS);
    cr_assert_eq(tally.misses, 0);
}

Test(passes, are_no_way_to_nothing_yet) {
    const struct tally tally = all_sets(WIRE_CALL_TEST_SOME);
    cr_assert_eq(tally.reports, SETS);
    cr_assert_eq(tally.misses, 1);
}
