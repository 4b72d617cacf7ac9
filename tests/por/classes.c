#include "tests/por/classes.h"

#include "explorer/containers/number_set.h"
#include "tests/por/enumerate.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* What one way of exploring comes to. */
struct classes {
    struct number_set ends; /* what all ranks have been answered, and what is left in the state */
    struct inequivalent run;
    uint64_t most;
    bool fails, goes_round, complete;
};

static bool note_end(void *context, enum optimal_end end, const struct ordering *ordering, const uint32_t *state,
                     uint64_t answers) {
    struct classes *classes = context;
    size_t bytes = classes->run.ranks * sizeof *state;
    (void)ordering;
    classes->fails |= end == OPTIMAL_FAULT;
    classes->goes_round |= end == OPTIMAL_CUT;
    if (end == OPTIMAL_QUIET)
        number_set_add(&classes->ends, XXH3_64bits_withSeed(state, bytes, answers) | 1);
    const struct optimal_counts *counts = &classes->run.counts;
    return counts->orderings + counts->blocked + counts->cut <= classes->most;
}

static void run(struct classes *classes) {
    classes->run.ended = note_end;
    classes->run.context = classes;
    classes->complete = inequivalent_run(&classes->run);
}

static bool holds_all(const struct number_set *all, const struct number_set *part) {
    for (size_t i = 0; i < part->slots; i++)
        if (part->slot[i] && !number_set_has(all, part->slot[i]))
            return false;
    return true;
}

static const char *difference_of(const struct classes *every, const struct classes *optimal, bool exactly) {
    if (!holds_all(&every->ends, &optimal->ends))
        return "optimal reduction comes to orderings that there are not";
    if (optimal->goes_round)
        return NULL;
    if (every->fails != optimal->fails)
        return "optimal reduction differs in whether something fails";
    if (every->fails)
        return NULL;
    if (!holds_all(&optimal->ends, &every->ends))
        return "optimal reduction leaves out orderings";
    if (!exactly || every->goes_round)
        return NULL;
    if (optimal->run.counts.blocked)
        return "optimal reduction begins orderings in vain";
    return optimal->run.counts.orderings == every->ends.count ? NULL : "optimal reduction explores a class twice";
}

struct classes_comparison classes_compare(const struct inequivalent *how, bool exactly, uint64_t most) {
    struct classes every = {.run = *how, .most = most}, optimal = {.run = *how, .most = most};
    struct classes_comparison comparison = {0};
    every.run.explore = enumerate_orderings;
    optimal.run.explore = optimal_explore;
    run(&every);
    bool enough = every.complete && !mpi_model_surprised(how->model);
    if (enough)
        run(&optimal);
    comparison.compared = enough && optimal.complete;
    comparison.classes = every.ends.count;
    if (comparison.compared)
        comparison.difference = difference_of(&every, &optimal, exactly);
    else if (enough && exactly && !every.fails)
        comparison.difference = "optimal reduction does not come to an end";
    number_set_free(&every.ends);
    number_set_free(&optimal.ends);
    return comparison;
}
