/* The fewest differences with which each program shows its finding: derived by hand, found by the search in the order of
 * differences, found again from a bad ordering, and confirmed by brute force. */
#include "explorer/orderings/minimal.h"
#include "explorer/search/walk.h"
#include "tests/litmus/world.h"
#include "tests/minimal/fewest.h"
#include "tests/minimal/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ALL BUFFERING_ALL
#define NONE BUFFERING_NONE
#define INFINITE BUFFERING_INFINITE
enum { NO_RACE = -1, LOTS = 400, MOVES_MOST = 60, RANDOM_PROGRAMS = 500 };

struct expected {
    const char *program; /* as in tests/litmus/programs.h */
    enum buffering buffering;
    const char *class_name;
    size_t differences;
    int common; /* of a race: how many decisions the two orderings have in common at the beginning */
    const char *why;
};

/* The reference ordering receives from the lowest rank that has sent, and says "not yet" only if there is nothing. "xN" crashes
 * if the last value came from rank N - 1. */
static const struct expected expected[] = {
    {"k* x2 k* | s0 | s0", NONE, "crash", 0, NO_RACE, "the reference ordering receives from rank 1 first"},
    {"k* x3 k* | s0 | s0", NONE, "crash", 1, NO_RACE, "rank 2 first"},
    {"k* x4 k* k* | s0 | s0 | s0", NONE, "crash", 1, NO_RACE, "rank 3 first is one difference, not two"},
    {"q* k* x2 | s0 | s0", NONE, "crash", 1, NO_RACE, "rank 1 last of two: rank 2 before it"},
    {"q* q* k* x2 | s0 | s0 | s0", NONE, "crash", 2, NO_RACE, "rank 1 last of three: it is passed over twice"},
    {"q* q* q* k* x2 | s0 | s0 | s0 | s0", NONE, "crash", 3, NO_RACE, "rank 1 last of four: three times"},
    {"q* q* q* q* k* x2 | s0 | s0 | s0 | s0 | s0", NONE, "crash", 4, NO_RACE, "of five: four times"},
    {"q* q* k* x2 | s0 | s0 | s0", ALL, "crash", 2, NO_RACE, "whether sends are buffered makes no difference to that"},
    {"q* q* k* x2 | s0 | s0 | s0", INFINITE, "crash", 2, NO_RACE, "likewise"},
    {"q* q* q* k* x3 | s0 | s0 | s0 | s0", NONE, "crash", 2, NO_RACE, "1 3 4 2: rank 2 is passed over twice"},
    {"q* q* q* k* x4 | s0 | s0 | s0 | s0", NONE, "crash", 1, NO_RACE, "1 2 4 3"},
    {"q* k* x2 q* | s0 | s0 | s0", NONE, "crash", 1, NO_RACE, "rank 1 second: 2 1 3"},
    {"q* q* k* x2 q* | s0 | s0 | s0 | s0", NONE, "crash", 2, NO_RACE, "rank 1 third: 2 3 1 4"},
    {"q* q* q* k* x2 q* | s0 | s0 | s0 | s0 | s0", NONE, "crash", 3, NO_RACE, "rank 1 fourth of five"},
    {"q* q* k* x2 | S0 | S0 | S0", ALL, "crash", 2, NO_RACE, "synchronous sends"},
    {"r* r2 | s0 | s0", NONE, "deadlock", 1, NO_RACE, "the wildcard takes rank 2's only message, which is not the default"},
    {"r* r1 | s0 | s0", NONE, "deadlock", 0, NO_RACE, "rank 1's only message, which is"},
    {"q* q* r1 | s0 | s0 | s0", NONE, "deadlock", 0, NO_RACE, "rank 1's is the first to be taken"},
    {"q* q* r3 | s0 | s0 | s0", NONE, "deadlock", 1, NO_RACE, "one of two wildcards takes rank 3's"},
    {"s1 r1 | s0 r0", NONE, "deadlock", 0, NO_RACE, "head to head"},
    {"S1 r1 | S0 r0", ALL, "deadlock", 0, NO_RACE, "head to head, synchronous"},
    {"r* r* | s0 | s0", NONE, "race-output", 1, 0, "the two orders of two messages"},
    {"r* r* r* | s0 | s0 | s0", NONE, "race-output", 1, 1, "any order but one; the last two messages can always be exchanged"},
    {"r* r* r* r* | s0 | s0 | s0 | s0", NONE, "race-output", 1, 2, "likewise"},
    {"q* q* r* | s0 | s0 | s0", NONE, "race-output", 1, 1, "1 3 2: after one message it is open which of two is the last"},
    {"r* q* q* | s0 | s0 | s0", NONE, "race-output", 1, 0, "only the first receive counts"},
    {"q* r* q* q* | s0 | s0 | s0 | s0", NONE, "race-output", 1, 1, "only the second"},
    {"r* r* | s0 | q* s0 | s2", NONE, "race-output", 1, 1, "rank 2's receive is forced; then which of two messages is first"},
    {"j1:a j2:b Aab | s0 | s0", NONE, "race-output", 1, 0, "either of two complete requests is told"},
    {"j1:a ta | s0", NONE, "race-output", 1, 0, "Test may say no"},
};
enum { PROGRAMS = sizeof expected / sizeof *expected };

/* ---- one program ---- */

static struct search *create(void *context, const struct search_options *options) {
    struct world *world = context;
    return search_create(world->ranks, world->model, &world->steps, options, NULL, NULL, NULL, NULL);
}

static struct seeker seeker_of(struct world *world, enum buffering buffering) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (struct seeker){.create = create,
                           .context = world,
                           .options = {.buffering = buffering},
                           .ranks = world->ranks,
                           .model = world->model,
                           .steps = &world->steps,
                           .deadline = (double)now.tv_sec + 60};
}

static bool complain(const struct expected *test, const char *how, const char *what, size_t seen, size_t wanted) {
    if (seen == wanted)
        return true;
    printf("FAIL  %s, %s: %s %zu, not %zu (%s)\n", test->program, how, what, seen, wanted, test->why);
    return false;
}

static size_t common_decisions(const struct finding *finding) {
    const struct ordering *a = &finding->witness, *b = &finding->other;
    size_t at = 0;
    while (at < a->decisions && at < b->decisions &&
           memcmp(&a->decision[at].transition, &b->decision[at].transition, sizeof(struct transition)) == 0)
        at++;
    return at;
}

static bool check_finding(const struct expected *test, const char *how, const struct finding *finding) {
    if (strcmp(finding->class_name, test->class_name) != 0) {
        printf("FAIL  %s, %s: finds %s\n", test->program, how, finding->class_name);
        return false;
    }
    bool good = complain(test, how, "differences", ordering_differences(&finding->witness), test->differences);
    good &= complain(test, how, "minimal", finding->minimal, true);
    if (finding->race)
        good &= complain(test, how, "common beginning", common_decisions(finding), (size_t)test->common);
    return good;
}

/* No ordering with fewer differences comes to the same, and one with as many does. */
static bool check_by_force(const struct expected *test, const struct seeker *seeker, const struct finding *finding) {
    struct search_goal goal = {.finding = finding->race ? 0 : finding->key, .other = true};
    struct search_options options = seeker->options;
    options.compare = true;
    struct search *search = create(seeker->context, &options);
    search_follow(search, &(struct ordering){0}, NULL, NULL); /* the reference ordering */
    const uint64_t *outcome;
    if (finding->race && search_outcomes(search, &outcome))
        goal.outcome = outcome[0];
    search_destroy(search);
    size_t least = 0;
    while (least <= test->differences && fewest_reach(seeker, &goal, least) == FEWEST_NOT_REACHED)
        least++;
    return complain(test, "by brute force", "differences", least, test->differences);
}

static bool by_levels(const struct expected *test) {
    struct world world;
    world_begin(&world, test->program, test->buffering);
    struct seeker seeker = seeker_of(&world, test->buffering);
    struct search *search = create(&world, &seeker.options);
    const struct finding *finding;
    bool found = search_run(search) == SEARCH_FOUND, good = found;
    if (!found) {
        printf("FAIL  %s: finds nothing\n", test->program);
    } else {
        minimal_make(&seeker, search, 0, false, true);
        search_findings(search, &finding);
        good = check_finding(test, "by levels", finding) && check_by_force(test, &seeker, finding);
    }
    search_destroy(search);
    world_end(&world);
    return good;
}

/* ---- from any ordering ---- */

/* A finding by lot, as strategies come to one: search_follow tells it. */
static bool find_by_lot(struct world *world, struct search *search, unsigned *lot) {
    struct walk walk = {.ranks = world->ranks, .model = world->model, .steps = &world->steps};
    struct decision decision[MOVES_MOST];
    size_t decisions = 0;
    walk_begin(&walk);
    enum walk_end end = walk_determined(&walk);
    for (unsigned moves = 0; end == WALK_QUIET && moves < MOVES_MOST; moves++) {
        const struct transition *list;
        size_t count = walk_offered(&walk, &list);
        if (!count)
            break;
        const struct transition taken = list[(size_t)rand_r(lot) % count];
        if (walk_is_decision(&taken, count))
            decision[decisions++] = (struct decision){.transition = taken};
        end = walk_take(&walk, &taken);
    }
    walk_free(&walk);
    const struct ordering ordering = {.decisions = decisions, .decision = decision};
    return search_follow(search, &ordering, NULL, NULL) == SEARCH_FOUND;
}

static bool by_lot(const struct expected *test, unsigned lot) {
    struct world world;
    world_begin(&world, test->program, test->buffering);
    struct seeker seeker = seeker_of(&world, test->buffering);
    struct search_options options = seeker.options;
    options.compare = true;
    struct search *search = create(&world, &options);
    const struct finding *finding;
    bool good = true, found = false;
    search_follow(search, &(struct ordering){0}, NULL, NULL); /* the reference ordering, which others are compared with */
    for (unsigned i = 0; i < LOTS && !found; i++)
        found = search_findings(search, &finding) || find_by_lot(&world, search, &lot);
    if (found) {
        mpi_model_assume(world.model, false);
        minimal_make(&seeker, search, 0, true, true);
        search_findings(search, &finding);
        good = check_finding(test, "by lot", finding);
    } else {
        printf("FAIL  %s: nothing found by lot\n", test->program);
    }
    search_destroy(search);
    world_end(&world);
    return found && good;
}

/* ---- random programs ---- */

static bool by_random_programs(void) {
    struct random_tally tally = {0};
    for (uint64_t seed = 1; seed <= RANDOM_PROGRAMS; seed++)
        random_check(seed, &tally);
    random_check(1893, &tally); /* here the reduction hides a shorter ordering, */
    random_check(2847, &tally); /* and here one with fewer differences */
    printf("random programs: %u with a finding, %u of them with differences, %u decided, %u beyond brute force\n", tally.found,
           tally.different, tally.decided, tally.too_large);
    bool trivial = tally.different < RANDOM_PROGRAMS / 10 || tally.decided * 2 < tally.found;
    if (trivial)
        puts("FAIL  the random programs decide too little");
    return !tally.failed && !trivial;
}

int main(void) {
    unsigned failed = !by_random_programs();
    for (unsigned i = 0; i < PROGRAMS; i++) {
        bool good = by_levels(&expected[i]);
        for (unsigned lot = 1; lot <= 5; lot++)
            good &= by_lot(&expected[i], lot);
        failed += !good;
    }
    printf("%u passed, %u failed\n", PROGRAMS + 1 - failed, failed);
    return failed != 0;
}
