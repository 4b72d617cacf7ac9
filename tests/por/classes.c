#include "tests/por/classes.h"

#include "explorer/containers/number_set.h"
#include "por/optimal.h"
#include "por/source_sets.h"
#include "tests/por/enumerate.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* What one way of exploring comes to. */
struct classes {
    struct number_set ends;   /* what all ranks have been answered, and what is left in the state */
    struct number_set states; /* in which ranks are then */
    unsigned ranks;           /* that matter for that */
    struct inequivalent run;
    uint64_t most;
    bool fails, goes_round, is_cut, complete;
};

static uint64_t locals_of(const struct classes *classes, const uint32_t *state) {
    uint64_t locals = 0;
    for (unsigned rank = 0; rank < classes->ranks; rank++) {
        uint32_t local = mpi_model_local(classes->run.model, state[rank]);
        locals = XXH3_64bits_withSeed(&local, sizeof local, locals);
    }
    return locals;
}

static bool note_end(void *context, enum ordering_end end, const struct ordering *ordering, const uint32_t *state,
                     uint64_t answers) {
    struct classes *classes = context;
    size_t bytes = classes->run.ranks * sizeof *state;
    (void)ordering;
    classes->fails |= end == ORDERING_FAULT;
    classes->is_cut |= end == ORDERING_CUT;
    classes->goes_round |= end == ORDERING_ROUND;
    if (end == ORDERING_QUIET) {
        number_set_add(&classes->ends, XXH3_64bits_withSeed(state, bytes, answers) | 1);
        number_set_add(&classes->states, locals_of(classes, state) | 1);
    }
    const struct ordering_counts *counts = &classes->run.counts;
    return counts->orderings + counts->blocked + counts->cut <= classes->most;
}

static void run(struct classes *classes) {
    classes->run.ended = note_end;
    classes->run.context = classes;
    classes->complete = inequivalent_run(&classes->run);
}

static struct classes begin(const struct inequivalent *how, uint64_t most) {
    return (struct classes){.run = *how, .most = most};
}

static void end(struct classes *classes) {
    number_set_free(&classes->ends);
    number_set_free(&classes->states);
}

static bool holds_all(const struct number_set *all, const struct number_set *part) {
    for (size_t i = 0; i < part->slots; i++)
        if (part->slot[i] && !number_set_has(all, part->slot[i]))
            return false;
    return true;
}

/* --- optimal reduction ------------------------------------------------------------------------------------------------------- */

static const char *difference_of(const struct classes *every, const struct classes *optimal) {
    if (!holds_all(&every->ends, &optimal->ends))
        return "optimal reduction comes to orderings that there are not";
    if (optimal->is_cut)
        return NULL;
    if (every->fails != optimal->fails)
        return "optimal reduction differs in whether something fails";
    if (every->fails)
        return NULL;
    if (!holds_all(&optimal->ends, &every->ends))
        return "optimal reduction leaves out orderings";
    if (every->is_cut)
        return NULL;
    if (optimal->run.counts.blocked)
        return "optimal reduction begins orderings in vain";
    return optimal->run.counts.orderings == every->ends.count ? NULL : "optimal reduction explores a class twice";
}

struct classes_comparison classes_compare(const struct inequivalent *how, uint64_t most) {
    struct classes every = begin(how, most), optimal = begin(how, most);
    struct classes_comparison comparison = {0};
    every.run.explore = enumerate_orderings;
    optimal.run.explore = optimal_explore;
    run(&every);
    bool enough = every.complete && !mpi_model_surprised(how->model) && !every.run.untold;
    if (enough)
        run(&optimal);
    comparison.compared = enough && optimal.complete;
    comparison.classes = every.ends.count;
    if (comparison.compared)
        comparison.difference = difference_of(&every, &optimal);
    else if (enough && !every.fails)
        comparison.difference = "optimal reduction does not come to an end";
    end(&every);
    end(&optimal);
    return comparison;
}

/* --- reversal of races ------------------------------------------------------------------------------------------------------- */

static const char *merged_difference_of(const struct classes *every, const struct classes *merged) {
    if (!holds_all(&every->states, &merged->states))
        return "the reversal of races comes to states that there are not";
    if (merged->is_cut || every->is_cut)
        return NULL;
    if (every->fails != merged->fails)
        return "the reversal of races differs in whether something fails";
    return every->fails || holds_all(&merged->states, &every->states) ? NULL : "the reversal of races leaves out ends";
}

struct classes_comparison classes_compare_merged(const struct inequivalent *how, unsigned servers, uint64_t most) {
    struct classes within = begin(how, most), merged = begin(how, most), every = begin(how, most);
    struct classes_comparison comparison = {0};
    within.ranks = merged.ranks = every.ranks = how->ranks - servers;
    within.run.explore = merged.run.explore = source_sets_explore;
    every.run.explore = enumerate_places;
    within.run.merged = merged.run.merged = every.run.merged = within.run.persistent = true;
    run(&within); /* first, as nothing is known yet of what ranks do */
    run(&merged);
    run(&every);
    comparison.classes = every.states.count;
    comparison.states = within.run.counts.states;
    comparison.compared = within.complete && merged.complete && every.complete && !mpi_model_surprised(how->model) &&
                          !within.run.untold && !merged.run.untold && !every.run.untold;
    if (comparison.compared)
        comparison.difference = merged_difference_of(&every, &merged);
    if (comparison.compared && !comparison.difference)
        comparison.difference = merged_difference_of(&every, &within);
    if (comparison.compared && !comparison.difference && !every.fails && merged.goes_round != within.goes_round)
        comparison.difference = "the reversal of races differs in whether something goes round";
    comparison.goes_round = within.goes_round;
    comparison.ends = !every.fails && !within.is_cut;
    end(&within);
    end(&merged);
    end(&every);
    return comparison;
}
