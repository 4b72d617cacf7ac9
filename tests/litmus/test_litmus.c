/* Explores each litmus program with and without reduction, and compares every number with the one derived by hand. */
#include "tests/litmus/programs.h"

#include "explorer/search/search.h"
#include "tests/litmus/world.h"
#include "tests/por/classes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of seven messages there are 7! = 5040 orders; eight say no more. */
enum { ORDERINGS_MOST = 5040 };

/* ---- exploring ---- */

struct seen {
    bool complete;
    uint64_t states, transitions, outcomes;
    char orderings[64], findings[128];
};

static void note_findings(struct seen *seen, const struct search *search) {
    static const char *const classes[] = {"crash", "deadlock", "livelock", "race-output", "unreceived-message"};
    const struct finding *list;
    size_t count = search_findings(search, &list), known = 0;
    for (size_t k = 0; k < sizeof classes / sizeof *classes; k++) {
        size_t of_class = 0;
        for (size_t i = 0; i < count; i++)
            of_class += !strcmp(list[i].class_name, classes[k]);
        known += of_class;
        if (of_class)
            snprintf(seen->findings + strlen(seen->findings), sizeof seen->findings - strlen(seen->findings), "%s%s",
                     *seen->findings ? " " : "", classes[k]);
    }
    if (known < count)
        strcpy(seen->findings, "others");
}

static struct seen explore(const struct litmus *test, bool no_reduction) {
    struct world world;
    world_begin(&world, test->program, test->buffering);
    struct search_options options = {.buffering = test->buffering, .keep_going = true, .no_reduction = no_reduction};
    struct search *search = search_create(world.ranks, world.model, &world.steps, &options, NULL, NULL, NULL, NULL);

    struct seen seen = {.complete = search_run(search) == SEARCH_COMPLETE};
    struct ordering_count orderings = search_count_orderings(search, true, 0);
    snprintf(seen.orderings, sizeof seen.orderings, "%s", orderings.all);
    free(orderings.all);
    free(orderings.failing);
    const uint64_t *list;
    seen.outcomes = search_outcomes(search, &list);
    seen.states = search_statistics(search)->states;
    seen.transitions = search_statistics(search)->transitions;
    note_findings(&seen, search);

    search_destroy(search);
    world_end(&world);
    return seen;
}

/* ---- comparing ---- */

static bool is_equal(const char *what, uint64_t expected, uint64_t seen) {
    if (expected == seen)
        return true;
    printf("    %s: %lu, expected %lu\n", what, (unsigned long)seen, (unsigned long)expected);
    return false;
}

static bool is_same(const char *what, const char *expected, const char *seen) {
    if (!strcmp(expected, seen))
        return true;
    printf("    %s: %s, expected %s\n", what, seen, expected);
    return false;
}

/* Optimal reduction explores each class of equivalent orderings once. Who polls may do so for ever, each time in another ordering. */
static bool is_optimal(const struct litmus *test, enum buffering buffering) {
    struct world world;
    if (strchr(test->program, '@'))
        return true;
    world_begin(&world, test->program, buffering);
    const struct inequivalent how = {.ranks = world.ranks, .model = world.model, .steps = &world.steps};
    struct classes_comparison comparison = classes_compare(&how, ORDERINGS_MOST);
    world_end(&world);
    if (comparison.difference)
        printf("    %s\n", comparison.difference);
    return !comparison.difference && (comparison.compared || comparison.classes > ORDERINGS_MOST);
}

static uint64_t reversed_states(const struct litmus *test) {
    for (unsigned i = 0; i < litmus_reversed_count; i++)
        if (litmus_reversed[i].buffering == test->buffering && !strcmp(litmus_reversed[i].program, test->program))
            return litmus_reversed[i].states;
    return test->states;
}

/* The reversal of races comes to all ends, and of the buffering that it is counted with, with as many states as it should. Of a
 * program in which a rank may go round for ever all circles are explored. */
static bool is_reversed(const struct litmus *test, enum buffering buffering) {
    struct world world;
    world_begin(&world, test->program, buffering);
    const struct inequivalent how = {.ranks = world.ranks, .model = world.model, .steps = &world.steps};
    struct classes_comparison comparison = classes_compare_merged(&how, 0, ORDERINGS_MOST);
    world_end(&world);
    if (comparison.difference || !comparison.compared)
        printf("    %s\n", comparison.difference ? comparison.difference : "the reversal of races was not compared");
    bool counted = buffering == (test->buffering == BUFFERING_NONE ? BUFFERING_NONE : BUFFERING_INFINITE);
    return comparison.compared && !comparison.difference &&
           (!counted || is_equal("states by the reversal of races", reversed_states(test), comparison.states));
}

static bool passes(const struct litmus *test) {
    struct seen reduced = explore(test, false), whole = explore(test, true);
    bool good = is_equal("complete", 2, (uint64_t)reduced.complete + whole.complete);
    good &= is_equal("states", test->states, reduced.states);
    good &= is_equal("transitions", test->transitions, reduced.transitions);
    good &= is_equal("states without reduction", test->all_states, whole.states);
    good &= is_same("orderings", test->orderings, reduced.orderings);
    good &= is_equal("outcomes", test->outcomes, reduced.outcomes);
    good &= is_equal("outcomes without reduction", test->outcomes, whole.outcomes);
    good &= is_same("findings", test->findings, reduced.findings);
    good &= is_same("findings without reduction", test->findings, whole.findings);
    good &= is_optimal(test, BUFFERING_NONE) & is_optimal(test, BUFFERING_INFINITE);
    good &= is_reversed(test, BUFFERING_NONE) & is_reversed(test, BUFFERING_INFINITE);
    return good;
}

int main(void) {
    static const char *const buffering[] = {
        [BUFFERING_ALL] = "all", [BUFFERING_NONE] = "none", [BUFFERING_INFINITE] = "infinite"};
    unsigned failed = 0;
    for (unsigned i = 0; i < litmus_count; i++) {
        if (passes(&litmus[i]))
            continue;
        failed++;
        printf("FAIL  %s (%s): %s\n", litmus[i].program, buffering[litmus[i].buffering], litmus[i].why);
    }
    printf("%u passed, %u failed\n", litmus_count - failed, failed);
    return failed != 0;
}
