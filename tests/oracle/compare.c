#include "tests/oracle/compare.h"

#include "tests/oracle/explore_program.h"
#include "tests/oracle/inequivalent_program.h"

#include <string.h>

/* Far more than any of these programs has: a search that gets there has lost its way. */
#define SEARCH_STATES_LIMIT 2000000
/* Orderings by optimal reduction: they are many where states are few. */
#define ORDERINGS_LIMIT 200

const char *buffering_name(enum brute_buffering buffering) {
    static const char *const name[] = {[BRUTE_ALL] = "all", [BRUTE_NONE] = "none", [BRUTE_INFINITE] = "infinite"};
    return name[buffering];
}

static enum buffering buffering_of(enum brute_buffering buffering) {
    static const enum buffering same[] = {
        [BRUTE_ALL] = BUFFERING_ALL, [BRUTE_NONE] = BUFFERING_NONE, [BRUTE_INFINITE] = BUFFERING_INFINITE};
    return same[buffering];
}

/* A class that ends an execution. Nothing follows an error in the search, so one may keep others from showing: at least one must be
 * found, and none that is not there. */
static bool has_error(const struct behaviours *set) {
    return behaviours_of(set, "crash") || behaviours_of(set, "collective-mismatch") || behaviours_of(set, "invalid-argument");
}

/* A step is one to the search: that it ends in a crash comes before what is wrong with a message that it sent. */
static bool can_be(const struct behaviours *brute, const char *line) {
    return behaviours_has(brute, line) || (strncmp(line, "crash", 5) == 0 && behaviours_of(brute, "invalid-argument"));
}

static bool all_can_be(const struct behaviours *brute, const struct behaviours *set) {
    bool all = true;
    for (size_t i = 0; i < set->count; i++)
        all &= can_be(brute, set->line[i]);
    return all;
}

static const char *difference_of(const struct behaviours *brute, const struct exploration *found) {
    if (found->end != SEARCH_COMPLETE && found->end != SEARCH_FOUND)
        return "the search did not end well";
    if (!all_can_be(brute, &found->set))
        return "the search reports what cannot be";
    if (has_error(brute) != has_error(&found->set))
        return "errors differ";
    if (behaviours_of(brute, "invalid-argument")) /* the reduction then leaves out orders without the error */
        return NULL;
    if (!behaviours_contain(&found->set, brute, "completed"))
        return "outcomes of completed executions are missing";
    if (!behaviours_contain(&found->set, brute, "deadlock"))
        return "deadlocks are missing";
    if (!behaviours_contain(&found->set, brute, "livelock"))
        return "livelocks are missing";
    if (!behaviours_agree(brute, &found->set, "unreceived-message"))
        return "unreceived messages differ";
    if (!behaviours_agree(brute, &found->set, "request-leak"))
        return "leaked requests differ";
    if ((found->races > 0) != (behaviours_of(brute, "completed") > 1))
        return "races differ";
    if (found->outcomes != behaviours_of(brute, "completed"))
        return "the number of outcomes differs";
    return NULL;
}

static bool is_clean(const struct behaviours *set) { return set->count == 1 && behaviours_of(set, "completed") == 1; }

/* Stopping at the first finding: the verdict must be right, and what was found must be there. */
static const char *first_difference(const struct behaviours *brute, const struct exploration *found) {
    if (found->end != (is_clean(brute) ? SEARCH_COMPLETE : SEARCH_FOUND))
        return "the verdict is wrong";
    return all_can_be(brute, &found->set) ? NULL : "the first finding cannot be";
}

struct kind {
    struct search_options options;
    struct explore_way way;
    const char *(*difference)(const struct behaviours *, const struct exploration *);
};

/* Errors hide others from brute force and search in different ways, but with and without reduction in the same. */
static const char *error_difference(const struct exploration *found, struct comparison *comparison) {
    if (behaviours_of(&comparison->brute, "invalid-argument") || !comparison->whole.count ||
        behaviours_agree(&comparison->whole, &found->set, "crash"))
        return NULL;
    return "crashes differ with and without reduction";
}

static void keep_whole(const struct exploration *found, struct comparison *comparison) {
    for (size_t i = 0; i < found->set.count; i++)
        behaviours_add(&comparison->whole, found->set.line[i]);
}

/* Keeps the exploration's behaviours if they are wrong. */
static bool passes(const struct program *program, const struct kind *kind, struct comparison *comparison, uint64_t *states) {
    struct exploration found;
    explore_program(program, &kind->options, kind->way, &found);
    if (behaviours_of(&found.set, "runaway")) { /* what brute force takes for a cycle */
        behaviours_clear(&found.set);
        comparison->verdict = VERDICT_BEYOND;
        return false;
    }
    comparison->difference = kind->difference(&comparison->brute, &found);
    if (kind->options.no_reduction)
        keep_whole(&found, comparison);
    else if (kind->options.keep_going && !comparison->difference)
        comparison->difference = error_difference(&found, comparison);
    *states = found.states;
    comparison->alike |= found.alike;
    comparison->merged += found.merged;
    comparison->mistakes += found.mistakes;
    if (!comparison->difference) {
        behaviours_clear(&found.set);
        return true;
    }
    comparison->verdict = VERDICT_DIFFER;
    comparison->search = found.set;
    return false;
}

/* False: that is too much. */
static bool run_unreduced(const struct program *program, enum brute_buffering buffering, uint64_t limit,
                          struct comparison *comparison) {
    const struct search_options options = {
        .buffering = buffering_of(buffering), .keep_going = true, .no_reduction = true, .states = limit};
    struct exploration found;
    explore_program(program, &options, (struct explore_way){0}, &found);
    keep_whole(&found, comparison);
    comparison->brute = found.set;
    comparison->brute_states = found.states;
    return found.end == SEARCH_COMPLETE || found.end == SEARCH_FOUND;
}

/* Ranks are not told apart from a few states on, so that most is met in one of the states only that stand for each other. */
static void all_alike_pass(const struct program *program, const struct kind *first, struct comparison *comparison) {
    static const size_t from[] = {1, 8, 40};
    struct kind alike = *first;
    bool pass = true;
    for (unsigned i = 0; i < sizeof from / sizeof *from && pass; i++) {
        alike.options.symmetric_from = from[i];
        pass = passes(program, &alike, comparison, &comparison->search_states);
    }
}

static bool run_reference(const struct program *program, enum brute_buffering buffering, struct reference reference,
                          struct comparison *comparison) {
    const struct brute_options brute = {.buffering = buffering, .states = reference.limit, .plain = reference.plain};
    if (reference.unreduced)
        return run_unreduced(program, buffering, reference.limit, comparison);
    return brute_run(program, &brute, &comparison->brute, &comparison->brute_states);
}

static void compare_orderings(const struct program *program, enum buffering buffering, struct comparison *comparison) {
    struct classes_comparison optimal = inequivalent_compare(program, buffering, ORDERINGS_LIMIT);
    struct classes_comparison merged = inequivalent_compare_merged(program, buffering, ORDERINGS_LIMIT);
    comparison->inequivalent = optimal.compared;
    comparison->reversed = merged.compared;
    comparison->reversed_states = merged.states;
    comparison->difference = optimal.difference ? optimal.difference : merged.difference;
    if (!comparison->difference && merged.compared && merged.ends &&
        merged.goes_round != (behaviours_of(&comparison->brute, "livelock") > 0))
        comparison->difference = "the reversal of races is wrong on whether something goes round without an end";
}

void compare(const struct program *program, enum brute_buffering buffering, struct reference reference,
             struct comparison *comparison) {
    *comparison = (struct comparison){.verdict = VERDICT_AGREE};
    if (!run_reference(program, buffering, reference, comparison)) {
        comparison->verdict = VERDICT_BEYOND;
        return;
    }
    const struct search_options options = {
        .buffering = buffering_of(buffering), .keep_going = true, .states = SEARCH_STATES_LIMIT};
    struct kind whole = {options, {0}, difference_of}, reduced = whole, first = {options, {0}, first_difference};
    whole.options.no_reduction = true;
    first.options.keep_going = false;
    if (reference.alike) { /* the rest is for the other modes */
        all_alike_pass(program, &first, comparison);
        comparison->clean = is_clean(&comparison->brute);
        return;
    }
    struct kind several = reduced;
    several.options.workers = 3;
    several.options.blind_from = 1; /* at once, however small the graph */
    struct kind broken = reduced;
    broken.way.breaks = 1 + (unsigned)buffering; /* each of the three breaks between other layers */
    struct kind merged = reduced, merged_by_several = several;
    merged.way.merges = merged_by_several.way.merges = true;
    uint64_t ignored, several_states, broken_states;
    if (reference.unreduced) /* that search was the reference */
        comparison->search_states = comparison->brute_states;
    else if (!passes(program, &whole, comparison, &comparison->search_states))
        return;
    if (!passes(program, &reduced, comparison, &comparison->reduced_states) || !passes(program, &first, comparison, &ignored) ||
        !passes(program, &several, comparison, &several_states) || !passes(program, &broken, comparison, &broken_states) ||
        !passes(program, &merged, comparison, &comparison->merged_states) ||
        !passes(program, &merged_by_several, comparison, &ignored))
        return;
    comparison->clean = is_clean(&comparison->brute);
    comparison->proved = prove_program(program, buffering_of(buffering));
    /* How much is known of sends that are right only in time, when a search comes to one that is not, decides what is a move. */
    bool counts = !behaviours_of(&comparison->brute, "invalid-argument");
    if (counts && several_states != comparison->reduced_states)
        comparison->difference = "several workers do not count as many states as one";
    else if (broken_states != comparison->reduced_states)
        comparison->difference = "a search that is saved and goes on does not count as many states as one that is not";
    else if (comparison->proved && !comparison->clean)
        comparison->difference = "the proof by parts is wrong";
    else if (buffering == BRUTE_ALL && !reference.unreduced && !advice_holds(program, reference.limit, &comparison->advice))
        comparison->difference = "the advice on synchronous sends or barriers is wrong";
    else if (buffering != BRUTE_ALL)
        compare_orderings(program, buffering_of(buffering), comparison);
    if (comparison->difference)
        comparison->verdict = VERDICT_DIFFER;
}

void comparison_clear(struct comparison *comparison) {
    behaviours_clear(&comparison->brute);
    behaviours_clear(&comparison->search);
    behaviours_clear(&comparison->whole);
}
