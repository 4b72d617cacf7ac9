/* Delta debugging (Zeller, Hildebrandt 2002) over differing decisions. Each is put down as "the k-th time that rank r does
 * something of this kind, it does that": so it still means something when an earlier one is left out. A rank whose time has come
 * waits for it, while the others go on as the reference ordering would. All steps of such an ordering that are known are
 * remembered. */
#include "explorer/orderings/shrink.h"

#include "explorer/containers/memory.h"

#include <stdlib.h>
#include <string.h>

enum { KINDS = 256, RUNS_MOST = 400 };

/* What is to be done otherwise than usual. */
struct deviation {
    struct transition transition;
    uint32_t time; /* of the owner, in transitions of this kind */
    bool left_out, done;
};

struct plan {
    struct deviation *deviation;
    size_t deviations, room;
    uint32_t *times; /* by rank and kind, so far */
    unsigned ranks;
    size_t moves, moves_most;
};

static uint32_t *times_of(const struct plan *plan, const struct transition *transition) {
    return &plan->times[(size_t)transition->owner * KINDS + transition->kind];
}

static void restart(struct plan *plan) {
    memset(plan->times, 0, plan->ranks * KINDS * sizeof *plan->times);
    plan->moves = 0;
    for (size_t i = 0; i < plan->deviations; i++)
        plan->deviation[i].done = plan->deviation[i].left_out;
}

/* --- from an ordering to a plan ------------------------------------------------------------------------------------------ */

static void note_move(void *context, const struct decision *decision) {
    struct plan *plan = context;
    if (!decision->choices)
        return;
    uint32_t *times = times_of(plan, &decision->transition);
    if (decision->differs) {
        plan->deviation = memory_room(plan->deviation, &plan->room, plan->deviations, sizeof *plan->deviation);
        plan->deviation[plan->deviations++] = (struct deviation){.transition = decision->transition, .time = *times};
    }
    ++*times;
    plan->moves++;
}

static void make_plan(const struct seeker *seeker, const struct search_goal *goal, const struct ordering *ordering,
                      struct plan *plan) {
    struct search_options options = seeker_options(seeker, goal);
    struct search *search = seeker->create(seeker->context, &options);
    plan->deviations = 0;
    restart(plan);
    search_follow(search, ordering, note_move, plan);
    search_destroy(search);
    plan->moves_most = 4 * plan->moves + 1000;
}

/* --- from a plan to an ordering ------------------------------------------------------------------------------------------ */

static bool is_due(const struct plan *plan, const struct deviation *deviation) {
    return !deviation->done && *times_of(plan, &deviation->transition) == deviation->time;
}

/* Does the rank wait for its time to do something else of this kind? */
static bool is_held(const struct plan *plan, const struct transition *transition) {
    for (size_t i = 0; i < plan->deviations; i++) {
        const struct deviation *deviation = &plan->deviation[i];
        if (deviation->transition.owner == transition->owner && deviation->transition.kind == transition->kind &&
            is_due(plan, deviation))
            return true;
    }
    return false;
}

static bool is_alike(const struct transition *a, const struct transition *b, bool exactly) {
    return a->kind == b->kind && a->owner == b->owner && a->partner == b->partner &&
           (!exactly || (a->a == b->a && a->b == b->b));
}

/* Position of something planned; `count`: nothing is possible. */
static size_t find_planned(struct plan *plan, const struct transition *list, size_t count, bool exactly) {
    for (size_t k = 0; k < plan->deviations; k++)
        for (size_t i = 0; is_due(plan, &plan->deviation[k]) && i < count; i++)
            if (is_alike(&list[i], &plan->deviation[k].transition, exactly)) {
                plan->deviation[k].done = true;
                return i;
            }
    return count;
}

/* What is usual, for a rank that is not held. Where all wait, the one that has waited least goes on waiting. */
static size_t find_usual(const struct plan *plan, const struct transition *list, size_t count, size_t reference) {
    size_t best = count;
    if (reference < count && !is_held(plan, &list[reference]))
        return reference;
    for (size_t i = 0; i < count; i++) {
        if (list[i].optional || is_held(plan, &list[i]))
            continue;
        if (!list[i].miss)
            return i;
        if (best == count || *times_of(plan, &list[i]) < *times_of(plan, &list[best]))
            best = i;
    }
    return best;
}

static void give_up_waiting(struct plan *plan) {
    for (size_t k = 0; k < plan->deviations; k++)
        if (is_due(plan, &plan->deviation[k]))
            plan->deviation[k].done = true;
}

static size_t choose(void *context, const struct transition *list, size_t count, size_t reference) {
    struct plan *plan = context;
    if (plan->moves++ == plan->moves_most)
        return SIZE_MAX;
    size_t position = find_planned(plan, list, count, true);
    if (position == count)
        position = find_planned(plan, list, count, false);
    if (position == count)
        position = find_usual(plan, list, count, reference);
    if (position == count) {
        give_up_waiting(plan);
        position = find_usual(plan, list, count, reference);
    }
    if (position == count)
        return SIZE_MAX;
    ++*times_of(plan, &list[position]);
    return position;
}

static bool is_done(void *context) {
    const struct plan *plan = context;
    for (size_t i = 0; i < plan->deviations; i++)
        if (!plan->deviation[i].done)
            return false;
    return true;
}

static bool try_plan(const struct seeker *seeker, const struct search_goal *goal, struct plan *plan, struct ordering *found) {
    struct search_options options = seeker_options(seeker, goal);
    struct search *search = seeker->create(seeker->context, &options);
    restart(plan);
    search_lead(search, &(struct search_leader){choose, is_done, plan});
    bool reached = search_goal_ordering(search, found);
    search_destroy(search);
    return reached;
}

/* --- fewer and fewer ----------------------------------------------------------------------------------------------------- */

static void leave_out(struct plan *plan, size_t from, size_t count) {
    for (size_t i = 0; i < plan->deviations; i++)
        plan->deviation[i].left_out = i >= from && i < from + count;
}

/* Leaves out one part after another. True: *ordering has become better, and is another plan's. */
static bool leave_out_parts(const struct seeker *seeker, const struct search_goal *goal, struct plan *plan, size_t part,
                            unsigned *runs, struct ordering *ordering) {
    for (size_t from = 0; from < plan->deviations && *runs < RUNS_MOST && !seeker_is_late(seeker); from += part) {
        struct ordering found;
        leave_out(plan, from, part);
        ++*runs;
        if (!try_plan(seeker, goal, plan, &found))
            continue;
        bool better = ordering_differences(&found) < ordering_differences(ordering);
        free(better ? ordering->decision : found.decision);
        if (!better)
            continue;
        *ordering = found;
        return true;
    }
    return false;
}

void shrink_ordering(const struct seeker *seeker, const struct search_goal *goal, struct ordering *ordering) {
    struct plan plan = {.ranks = seeker->ranks, .times = memory_take(seeker->ranks * KINDS * sizeof(uint32_t))};
    unsigned runs = 0;
    make_plan(seeker, goal, ordering, &plan);
    for (size_t part = plan.deviations; part && runs < RUNS_MOST && !seeker_is_late(seeker);) {
        if (leave_out_parts(seeker, goal, &plan, part, &runs, ordering)) {
            make_plan(seeker, goal, ordering, &plan);
            part = part < plan.deviations ? part : plan.deviations;
        } else {
            part = part == 1 ? 0 : (part + 1) / 2;
        }
    }
    free(plan.deviation);
    free(plan.times);
}
