#include "explorer/orderings/inequivalent.h"

#include "explorer/containers/memory.h"
#include "explorer/search/persistent_moves.h"
#include "explorer/search/walk.h"
#include "models/name_table.h"

#define XXH_INLINE_ALL
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* A match is named by when its receive was posted, as it may come before or after other calls of its rank. There is room for so many
 * receives of a rank at first; where it is too little, everything begins again with twice as much, up to POSTED_MOST. */
enum { POSTED_FIRST = 16, POSTED_MOST = 4096 };

/* A receive whose request is `request` - 1, and what its rank had been answered when it was posted. */
struct posted {
    uint64_t request, when;
};

/* A state is an array of such receives, for each rank by the number of their request; then what each rank has been answered; and the
 * component of each rank.
 *
 * What a rank has been answered is a hash of that; if states are merged, how often that was, and its local state. */
struct run {
    struct inequivalent *inequivalent;
    unsigned posted;     /* receives of a rank */
    bool crowded;        /* there are more */
    struct walk walk;    /* its state lies in the block that is worked on */
    struct posted *past; /* that block */
    struct event_offered *offered;
    size_t offered_room;
    struct decision *decision;
    size_t decision_room;
    struct persistent *persistent;
    uint32_t *chosen;
    size_t chosen_room;
};

static size_t past_bytes(const struct run *run) {
    return run->walk.ranks * (run->posted * sizeof(struct posted) + sizeof(uint64_t));
}

static size_t state_bytes(const struct run *run) { return past_bytes(run) + run->walk.ranks * sizeof(uint32_t); }

/* By rank. */
static uint64_t *answers_in(const struct run *run, const void *state) {
    return (uint64_t *)((const struct posted *)state + (size_t)run->walk.ranks * run->posted);
}

static const uint32_t *components(const struct run *run, const void *state) {
    return (const uint32_t *)(answers_in(run, state) + run->walk.ranks);
}

static struct posted *posted_at(const struct run *run, const void *state, unsigned rank, uint32_t request) {
    return (struct posted *)state + (size_t)rank * run->posted + request % run->posted;
}

/* What the rank had been answered when the receive was posted; 0: it was before all that is kept. */
static uint64_t when_posted(const struct run *run, const void *state, unsigned rank, uint32_t request) {
    const struct posted *posted = posted_at(run, state, rank, request);
    return posted->request == request + 1ull ? posted->when : 0;
}

static void note_posted(struct run *run, unsigned rank, uint32_t request, uint64_t when) {
    struct posted *posted = posted_at(run, run->past, rank, request);
    run->crowded |= posted->request && posted->request != request + 1ull &&
                    mpi_model_has_request(run->walk.model, run->walk.state[rank], (uint32_t)(posted->request - 1));
    *posted = (struct posted){request + 1ull, when};
}

/* How often it has been answered, and the local state. */
static uint64_t answered(uint64_t times, uint32_t local) { return times << 32 | local; }

static void note_answer(void *context, const struct walk *walk, unsigned rank, const struct resolution *answer,
                        const struct step_result *result) {
    struct run *run = context;
    uint64_t *answers = &answers_in(run, run->past)[rank];
    (void)walk;
    *answers = run->inequivalent->merged ? answered((*answers >> 32) + 1, result->local)
                                         : XXH3_64bits_withSeed(answer, resolution_size(answer), *answers);
    for (uint32_t i = 0; i < result->operations; i++)
        if (result->operation[i].kind == WIRE_RECEIVE)
            note_posted(run, rank, result->operation[i].request, *answers);
}

static void work_on(struct run *run, void *state) {
    run->past = state;
    run->walk.state = (uint32_t *)components(run, state);
    run->walk.ended_badly = false;
}

/* A receive whose request is freed has no number any more, so that its match gets another name. */
static uint64_t name(const struct run *run, const void *state, const struct transition *transition) {
    uint32_t receive;
    uint64_t when = answers_in(run, state)[transition->owner];
    if (mpi_model_match_request(run->walk.model, components(run, state), transition, &receive)) {
        if (receive == WIRE_NO_REQUEST)
            run->inequivalent->untold = "it frees requests of receives";
        when = when_posted(run, state, transition->owner, receive);
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
    memset(state, 0, past_bytes(run));
    for (unsigned rank = 0; rank < run->walk.ranks; rank++)
        answers_in(run, state)[rank] = answered(0, mpi_model_local(run->walk.model, components(run, state)[rank]));
}

/* --- what is enough ---------------------------------------------------------------------------------------------------------- */

static size_t persistent(void *self, const void *state, const uint32_t **position) {
    struct run *run = self;
    const struct transition_list *list = &run->walk.offered;
    size_t count = mpi_model_transitions(run->walk.model, components(run, state), &run->walk.offered);
    run->chosen = memory_room(run->chosen, &run->chosen_room, count, sizeof *run->chosen);
    *position = run->chosen;
    return persistent_moves(run->persistent, run->walk.model, components(run, state), true, list->item, count, run->chosen);
}

/* --- where orderings end ----------------------------------------------------------------------------------------------------- */

static uint64_t answers(const struct run *run, const void *state) {
    return XXH3_64bits(answers_in(run, state), run->walk.ranks * sizeof(uint64_t));
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
    case WALK_STOPPED: ended(run, ORDERING_STOPPED, initial, NULL, 0); break;
    }
    return false;
}

/* From the beginning, once. */
static bool run_once(struct run *run) {
    walk_begin(&run->walk);
    uint32_t *begun = run->walk.state;
    void *initial = memory_take_zeroed(state_bytes(run));
    work_on(run, initial);
    memcpy(run->walk.state, begun, run->walk.ranks * sizeof *begun);
    if (run->inequivalent->merged)
        forget(run, initial);
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
