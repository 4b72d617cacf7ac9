#include "explorer/orderings/minimal.h"

#include "explorer/containers/memory.h"
#include "explorer/orderings/shrink.h"
#include "explorer/search/walk.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* States that one search for a better ordering may visit, and differences from which on it is shrunk before that. */
enum { STATES_MOST = 1 << 15, MANY_DIFFERENCES = 3 };

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

bool seeker_is_late(const struct seeker *seeker) { return seconds_now() >= seeker->deadline; }

struct search_options seeker_options(const struct seeker *seeker, const struct search_goal *goal) {
    struct search_options options = seeker->options;
    double left = seeker->deadline - seconds_now();
    options.goal = goal;
    options.workers = 1;
    options.states = STATES_MOST;
    options.seconds = left > 1e-3 ? left : 1e-3;
    return options;
}

bool seeker_follow(const struct seeker *seeker, const struct search_goal *goal, const struct ordering *ordering,
                   struct ordering *found) {
    struct search_options options = seeker_options(seeker, goal);
    struct search *search = seeker->create(seeker->context, &options);
    search_follow(search, ordering, NULL, NULL);
    bool reached = search_goal_ordering(search, found);
    search_destroy(search);
    return reached;
}

/* What came of looking for a goal. */
enum sought { SOUGHT_FOUND, SOUGHT_NONE, SOUGHT_UNDECIDED };

static enum sought seek(const struct seeker *seeker, const struct search_options *options, struct ordering *found) {
    if (seeker_is_late(seeker))
        return SOUGHT_UNDECIDED;
    struct search *search = seeker->create(seeker->context, options);
    enum search_end end = search_run(search);
    bool reached = search_goal_ordering(search, found);
    search_destroy(search);
    return reached ? SOUGHT_FOUND : end == SEARCH_COMPLETE ? SOUGHT_NONE : SOUGHT_UNDECIDED;
}

static void replace(struct ordering *ordering, const struct ordering *by) {
    free(ordering->decision);
    *ordering = *by;
}

/* --- fewest differences -------------------------------------------------------------------------------------------------- */

/* Among all orderings with fewer than `levels` differences. */
static enum sought seek_nearer(const struct seeker *seeker, const struct search_goal *goal, size_t levels, bool reduction,
                               struct ordering *best) {
    struct search_options options = seeker_options(seeker, goal);
    struct ordering found;
    options.levels = (unsigned)levels;
    options.no_reduction = !reduction;
    enum sought sought = seek(seeker, &options, &found);
    if (sought == SOUGHT_FOUND)
        replace(best, &found);
    return sought;
}

/* True: it is decided that no ordering has fewer differences. */
static bool make_nearest(const struct seeker *seeker, const struct search_goal *goal, bool by_strategy, struct ordering *best) {
    if (by_strategy || ordering_differences(best) > MANY_DIFFERENCES)
        shrink_ordering(seeker, goal, best);
    if (by_strategy && ordering_differences(best) > 0)
        seek_nearer(seeker, goal, ordering_differences(best), true, best);
    size_t differences = ordering_differences(best);
    return differences == 0 || seek_nearer(seeker, goal, differences + 1, false, best) == SOUGHT_FOUND;
}

/* --- the longest common beginning ---------------------------------------------------------------------------------------- */

struct moves {
    struct transition *list;
    size_t count, room;
};

static void note_move(void *context, const struct decision *decision) {
    struct moves *moves = context;
    if (!decision->choices)
        return;
    moves->list = memory_room(moves->list, &moves->room, moves->count, sizeof *moves->list);
    moves->list[moves->count++] = decision->transition;
}

static struct moves moves_of(const struct seeker *seeker, const struct ordering *ordering) {
    struct moves moves = {0};
    struct search_options options = seeker_options(seeker, NULL);
    struct search *search = seeker->create(seeker->context, &options);
    search_follow(search, ordering, note_move, &moves);
    search_destroy(search);
    return moves;
}

static size_t common_decisions(const struct ordering *a, const struct ordering *b) {
    size_t at = 0;
    while (at < a->decisions && at < b->decisions &&
           memcmp(&a->decision[at].transition, &b->decision[at].transition, sizeof(struct transition)) == 0)
        at++;
    return at;
}

/* The first decisions of one ordering, then another one. */
static struct ordering joined(const struct ordering *first, size_t decisions, const struct ordering *then) {
    struct ordering whole = {.decisions = decisions + then->decisions,
                             .decision = memory_take((decisions + then->decisions + 1) * sizeof *whole.decision)};
    memcpy(whole.decision, first->decision, decisions * sizeof *whole.decision);
    if (then->decisions)
        memcpy(whole.decision + decisions, then->decision, then->decisions * sizeof *whole.decision);
    return whole;
}

/* An ordering with another outcome that begins with the first `decisions` of the witness. */
static enum sought seek_other(const struct seeker *seeker, const struct search_goal *goal, const struct ordering *witness,
                              const struct moves *moves, size_t decisions, struct ordering *other) {
    struct walk walk = {.ranks = seeker->ranks, .model = seeker->model, .steps = seeker->steps};
    struct ordering rest;
    walk_begin(&walk);
    enum walk_end end = walk_along(&walk, moves->list, moves->count, decisions);
    struct search_options options = seeker_options(seeker, goal);
    options.root = walk.state;
    enum sought sought = end == WALK_QUIET ? seek(seeker, &options, &rest) : SOUGHT_UNDECIDED;
    options.no_reduction = true;
    if (sought == SOUGHT_NONE && !mpi_model_assumed_enough(seeker->model))
        sought = seek(seeker, &options, &rest);
    walk_free(&walk);
    if (sought != SOUGHT_FOUND)
        return sought;
    struct ordering whole = joined(witness, decisions, &rest);
    free(rest.decision);
    replace(other, &whole);
    return SOUGHT_FOUND;
}

/* Where another outcome can still be had, it could be had before: so the last such decision can be halved in on. True: it is
 * decided that no ordering with another outcome parts later. */
static bool part_late(const struct seeker *seeker, uint64_t outcome, const struct ordering *witness, struct ordering *other) {
    const struct search_goal goal = {.outcome = outcome, .other = true};
    struct moves moves = moves_of(seeker, witness);
    size_t least = common_decisions(witness, other), most = witness->decisions ? witness->decisions - 1 : 0;
    bool decided = true;
    while (least < most) {
        size_t middle = (least + most + 1) / 2;
        enum sought sought = seek_other(seeker, &goal, witness, &moves, middle, other);
        decided &= sought != SOUGHT_UNDECIDED;
        if (sought == SOUGHT_FOUND)
            least = common_decisions(witness, other);
        else
            most = middle - 1;
    }
    free(moves.list);
    return decided;
}

/* --- findings ------------------------------------------------------------------------------------------------------------ */

static struct search_goal goal_of(const struct finding *finding, bool any_outcome) {
    if (!finding->race)
        return (struct search_goal){.finding = finding->key};
    if (any_outcome)
        return (struct search_goal){.outcome = finding->other_outcome, .other = true};
    return (struct search_goal){.outcome = finding->outcome};
}

static bool is_known_by(const struct search *search, size_t number, const struct finding *found) {
    const struct finding *list;
    size_t count = search_findings(search, &list);
    for (size_t i = 0; i < count; i++)
        if (i != number && list[i].key == found->key)
            return true;
    return false;
}

static bool is_same(const struct search *search, size_t number, const struct finding *found) {
    const struct finding *list;
    search_findings(search, &list);
    if (strcmp(found->class_name, list[number].class_name) != 0)
        return false;
    return found->race ? !is_known_by(search, number, found) : found->key == list[number].key;
}

/* Follows the orderings once more, for all that is said of a finding. False: it is not what it was. */
static bool find_again(const struct seeker *seeker, struct search *search, size_t number, const struct ordering *witness,
                       const struct ordering *other) {
    struct search_options options = seeker_options(seeker, NULL);
    options.compare = options.keep_going = true;
    struct search *again = seeker->create(seeker->context, &options);
    const struct finding *list;
    if (other)
        search_follow(again, other, NULL, NULL);
    search_follow(again, witness, NULL, NULL);
    size_t count = search_findings(again, &list), at = 0;
    while (at < count && !is_same(search, number, &list[at]))
        at++;
    if (at < count)
        search_swap_finding(search, number, again, at);
    search_destroy(again);
    return at < count;
}

/* A recorded reference ordering stays the one that others are compared with; else the two are to part late. */
static void make_race(const struct seeker *seeker, struct search *search, size_t number, const struct finding *finding,
                      const struct ordering *witness, bool nearest) {
    struct ordering other = joined(&finding->other, finding->other.decisions, &(struct ordering){0});
    bool found = find_again(seeker, search, number, witness, &other), decided = nearest;
    if (found && !seeker->options.reference) {
        const struct finding *list;
        search_findings(search, &list);
        decided &= part_late(seeker, list[number].outcome, witness, &other);
        decided &= find_again(seeker, search, number, witness, &other);
    }
    if (found)
        search_set_minimal(search, number, decided);
    free(other.decision);
}

void minimal_make(const struct seeker *seeker, struct search *search, size_t number, bool by_strategy, bool any_outcome) {
    const struct finding *list;
    search_findings(search, &list);
    const struct finding *finding = &list[number];
    const struct search_goal goal = goal_of(finding, any_outcome);
    struct ordering best;
    if (strcmp(finding->class_name, "livelock") == 0 || seeker_is_late(seeker) ||
        !seeker_follow(seeker, &goal, &finding->witness, &best))
        return;
    bool met_nearest_first = !by_strategy && !search_has_reduced(search);
    bool nearest = met_nearest_first || make_nearest(seeker, &goal, by_strategy, &best);
    if (finding->race)
        make_race(seeker, search, number, finding, &best, nearest);
    else if (find_again(seeker, search, number, &best, NULL))
        search_set_minimal(search, number, nearest);
    if (mpi_model_surprised(seeker->model)) /* what was decided on the way was for another program */
        search_set_minimal(search, number, false);
    free(best.decision);
}
