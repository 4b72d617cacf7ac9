#include "explorer/orderings/inequivalent.h"

#include "explorer/containers/memory.h"
#include "explorer/search/walk.h"
#include "models/name_table.h"
#include "por/persistent.h"

#define XXH_INLINE_ALL
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* A match is named by when its receive was posted, as it may come before or after other calls of its rank. That is kept of receives whose
 * requests have numbers below POSTED_FIRST; if there are others, it begins again with twice as many, up to POSTED_MOST. */
enum { POSTED_FIRST = 16, POSTED_MOST = 4096 };

/* A state is an array of numbers: for each rank what it has been answered; then for each rank, by the number of a receive's
 * request, what it had been answered when that was posted; and the component of each rank.
 *
 * What a rank has been answered is a hash of that; if states are merged, how often that was, and its local state. */
struct run {
    struct inequivalent *inequivalent;
    unsigned posted;  /* receives of a rank */
    bool crowded;     /* there are more */
    struct walk walk; /* its state lies in the block that is worked on */
    uint64_t *past;   /* that block */
    struct event_offered *offered;
    size_t offered_room;
    struct decision *decision;
    size_t decision_room;
    struct persistent *persistent;
    uint32_t *chosen;
    size_t chosen_room;
};

static size_t past_count(const struct run *run) { return run->walk.ranks * (1 + (size_t)run->posted); }

static size_t state_bytes(const struct run *run) {
    return past_count(run) * sizeof(uint64_t) + run->walk.ranks * sizeof(uint32_t);
}

static const uint32_t *components(const struct run *run, const void *state) {
    return (const uint32_t *)((const uint64_t *)state + past_count(run));
}

static size_t posted_at(const struct run *run, unsigned rank, uint32_t request) {
    return run->walk.ranks + (size_t)rank * run->posted + request;
}

/* How often it has been answered, and the local state. */
static uint64_t answered(uint64_t times, uint32_t local) { return times << 32 | local; }

static void note_answer(void *context, const struct walk *walk, unsigned rank, const struct resolution *answer,
                        const struct step_result *result) {
    struct run *run = context;
    uint64_t *past = &run->past[rank];
    (void)walk;
    *past = run->inequivalent->merged ? answered((*past >> 32) + 1, result->local)
                                      : XXH3_64bits_withSeed(answer, resolution_size(answer), *past);
    for (uint32_t i = 0; i < result->operations; i++) {
        const struct operation *operation = &result->operation[i];
        if (operation->kind != WIRE_RECEIVE)
            continue;
        if (operation->request < run->posted)
            run->past[posted_at(run, rank, operation->request)] = *past;
        else
            run->crowded = true;
    }
}

static void work_on(struct run *run, void *state) {
    run->past = state;
    run->walk.state = (uint32_t *)(run->past + past_count(run));
    run->walk.ended_badly = false;
}

/* A receive whose request is freed has no number any more, so that its match gets another name. */
static uint64_t name(const struct run *run, const void *state, const struct transition *transition) {
    const uint64_t *past = state;
    uint32_t receive;
    uint64_t when = past[transition->owner];
    if (mpi_model_match_request(run->walk.model, components(run, state), transition, &receive)) {
        if (receive == WIRE_NO_REQUEST)
            run->inequivalent->untold = "it frees requests of receives";
        when = receive < run->posted ? past[posted_at(run, transition->owner, receive)] : 0;
    }
    const uint64_t content[] = {transition->owner, when, mpi_model_name(run->walk.model, components(run, state), transition)};
    return XXH3_64bits(content, sizeof content);
}

static size_t offered(void *self, const void *state, const struct event_offered **list) {
    struct run *run = self;
    size_t count = mpi_model_transitions(run->walk.model, components(run, state), &run->walk.offered);
    for (size_t i = 0; i < count; i++) {
        const struct transition *transition = &run->walk.offered.item[i];
        assert(!transition->optional);
        run->offered = memory_room(run->offered, &run->offered_room, i, sizeof *run->offered);
        run->offered[i] = (struct event_offered){name(run, state, transition), *transition};
    }
    *list = run->offered;
    return count;
}

static enum event_taken event_of_walk(enum walk_end end) {
    switch (end) {
    case WALK_QUIET: return EVENT_TAKEN;
    case WALK_FAULT: return EVENT_FAULT;
    case WALK_ENDLESS: return EVENT_ENDLESS;
    case WALK_STOPPED: break;
    }
    return EVENT_STOPPED;
}

static enum event_taken take(void *self, void *state, const struct transition *transition) {
    struct run *run = self;
    work_on(run, state);
    return event_of_walk(walk_take(&run->walk, transition));
}

static struct name place(void *self, const void *state) {
    const struct run *run = self;
    return name_of(components(run, state), run->walk.ranks * sizeof(uint32_t));
}

static void forget(void *self, void *state) {
    const struct run *run = self;
    uint64_t *past = state;
    memset(past, 0, past_count(run) * sizeof *past);
    for (unsigned rank = 0; rank < run->walk.ranks; rank++)
        past[rank] = answered(0, mpi_model_local(run->walk.model, components(run, state)[rank]));
}

/* --- what is enough ---------------------------------------------------------------------------------------------------------- */

struct view {
    struct mpi_model *model;
    const uint32_t *state;
};

static void influences(void *context, unsigned rank, struct rank_set *set) {
    const struct view *view = context;
    mpi_model_influences(view->model, view->state, rank, set, true);
}

static bool commutes(void *context, const struct transition *transition, struct rank_set *rivals, struct rank_set *set) {
    const struct view *view = context;
    return mpi_model_commutes(view->model, view->state, transition, rivals, set, true);
}

static size_t persistent(void *self, const void *state, const uint32_t **position) {
    struct run *run = self;
    struct view view = {run->walk.model, components(run, state)};
    size_t count = mpi_model_transitions(run->walk.model, view.state, &run->walk.offered);
    run->chosen = memory_room(run->chosen, &run->chosen_room, count, sizeof *run->chosen);
    *position = run->chosen;
    return persistent_select(run->persistent, run->walk.offered.item, count, influences, commutes, &view, run->chosen);
}

/* --- where orderings end ----------------------------------------------------------------------------------------------------- */

static uint64_t answers(const struct run *run, const void *state) {
    return XXH3_64bits(state, run->walk.ranks * sizeof(uint64_t));
}

static bool ended(void *context, enum ordering_end end, const void *state, const struct ordering_step *step, size_t steps) {
    struct run *run = context;
    struct ordering ordering = {0};
    for (size_t i = 0; i < steps; i++) {
        if (!walk_is_decision(&step[i].transition, step[i].choices))
            continue;
        run->decision = memory_room(run->decision, &run->decision_room, ordering.decisions, sizeof *run->decision);
        run->decision[ordering.decisions++] = (struct decision){.transition = step[i].transition};
    }
    ordering.decision = run->decision;
    struct inequivalent *inequivalent = run->inequivalent;
    return inequivalent->ended(inequivalent->context, end, &ordering, components(run, state), answers(run, state));
}

/* --- all of them ------------------------------------------------------------------------------------------------------------- */

/* What is determined at the beginning may be all that there is. */
static bool explore(struct run *run, void *initial) {
    struct inequivalent *inequivalent = run->inequivalent;
    const struct event_system system = {.state_bytes = state_bytes(run),
                                        .offered = offered,
                                        .take = take,
                                        .place = place,
                                        .forget = forget,
                                        .persistent = inequivalent->persistent ? persistent : NULL,
                                        .self = run};
    const struct ordering_listener listener = {ended, run};
    struct ordering_counts *counts = &inequivalent->counts;
    *counts = (struct ordering_counts){0};
    switch (walk_determined(&run->walk)) {
    case WALK_QUIET: return inequivalent->explore(&system, initial, &listener, counts);
    case WALK_FAULT: counts->orderings++; return ended(run, ORDERING_FAULT, initial, NULL, 0);
    case WALK_ENDLESS: counts->cut++; return ended(run, ORDERING_CUT, initial, NULL, 0);
    case WALK_STOPPED: break;
    }
    return false;
}

/* From the beginning, once. */
static bool run_once(struct run *run) {
    walk_begin(&run->walk);
    uint32_t *begun = run->walk.state;
    uint64_t *initial = memory_take_zeroed(state_bytes(run));
    memcpy(initial + past_count(run), begun, run->walk.ranks * sizeof *begun);
    if (run->inequivalent->merged)
        forget(run, initial);
    work_on(run, initial);
    bool all = explore(run, initial);
    run->walk.state = begun;
    walk_free(&run->walk);
    free(initial);
    return all;
}

/* Did something come out in a run that was not reckoned with? */
static bool has_to_run_again(struct run *run) {
    if (run->crowded && run->posted < POSTED_MOST) {
        run->posted *= 2;
        run->crowded = false;
        return true;
    }
    if (run->crowded)
        run->inequivalent->untold = "ranks have thousands of requests at a time";
    return run->inequivalent->persistent && !mpi_model_assumed_enough(run->walk.model);
}

/* A cancellation, which is the sender's, and a match, the receiver's, exclude each other; and whether a send is right that is so only in
 * time depends on an order that leads to the same answers. */
const char *inequivalent_unsuited(const struct mpi_model *model) {
    const struct expectations *expected = mpi_model_expectations(model);
    return expected->cancels ? "it cancels requests" : expected->hurries > 0 ? "it makes ready or buffered sends" : NULL;
}

bool inequivalent_run(struct inequivalent *inequivalent) {
    struct run run = {.inequivalent = inequivalent,
                      .posted = POSTED_FIRST,
                      .walk = {.ranks = inequivalent->ranks,
                               .model = inequivalent->model,
                               .steps = inequivalent->steps,
                               .stepped = note_answer,
                               .context = &run},
                      .persistent = persistent_create(inequivalent->ranks)};
    bool all;
    inequivalent->untold = NULL;
    do {
        if (inequivalent->persistent)
            mpi_model_assume(inequivalent->model, true);
        all = run_once(&run);
    } while (all && has_to_run_again(&run));
    persistent_destroy(run.persistent);
    free(run.offered);
    free(run.decision);
    free(run.chosen);
    return all;
}
