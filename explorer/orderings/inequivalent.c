#include "explorer/orderings/inequivalent.h"

#include "explorer/containers/memory.h"
#include "explorer/search/walk.h"

#define XXH_INLINE_ALL
#include <assert.h>
#include <stdlib.h>
#include <xxhash.h>

/* A match is named by when its receive was posted, as it may come before or after other calls of its rank. That is known of so many
 * receives of a rank; if there are more at a time, matches of some have several names, and their orderings are explored several times. */
enum { POSTED_MOST = 16 };

/* A state: for each rank a hash of all that it has been answered, and such hashes by the number of a receive's request, modulo
 * POSTED_MOST, from when it was posted. Behind them the component of each rank. */
struct past {
    uint64_t answers;
    uint64_t posted[POSTED_MOST];
};

struct run {
    struct inequivalent *inequivalent;
    struct walk walk;  /* its state lies in the block that is worked on */
    struct past *past; /* and these */
    struct event_offered *offered;
    size_t offered_room;
    struct decision *decision;
    size_t decision_room;
};

static const uint32_t *components(const struct run *run, const void *state) {
    return (const uint32_t *)((const struct past *)state + run->walk.ranks);
}

static void note_answer(void *context, const struct walk *walk, unsigned rank, const struct resolution *answer,
                        const struct step_result *result) {
    struct past *past = &((struct run *)context)->past[rank];
    (void)walk;
    past->answers = XXH3_64bits_withSeed(answer, resolution_size(answer), past->answers);
    for (uint32_t i = 0; i < result->operations; i++)
        if (result->operation[i].kind == WIRE_RECEIVE)
            past->posted[result->operation[i].request % POSTED_MOST] = past->answers;
}

static void work_on(struct run *run, void *state) {
    run->past = state;
    run->walk.state = (uint32_t *)(run->past + run->walk.ranks);
    run->walk.ended_badly = false;
}

static uint64_t name(const struct run *run, const void *state, const struct transition *transition) {
    const struct past *past = (const struct past *)state + transition->owner;
    uint32_t receive;
    bool match = mpi_model_match_request(run->walk.model, components(run, state), transition, &receive);
    const uint64_t content[] = {transition->owner, match ? past->posted[receive % POSTED_MOST] : past->answers,
                                mpi_model_name(run->walk.model, components(run, state), transition)};
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

static uint64_t place(void *self, const void *state) {
    const struct run *run = self;
    return XXH3_64bits(components(run, state), run->walk.ranks * sizeof(uint32_t));
}

static uint64_t answers(const struct run *run, const void *state) {
    uint64_t all = 0;
    for (unsigned rank = 0; rank < run->walk.ranks; rank++)
        all = XXH3_64bits_withSeed((const struct past *)state + rank, sizeof(uint64_t), all);
    return all;
}

static bool ended(void *context, enum optimal_end end, const void *state, const struct optimal_step *step, size_t steps) {
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

/* What is determined at the beginning may be all that there is. */
static bool explore(struct run *run, void *initial) {
    const struct event_system system = {.state_bytes = run->walk.ranks * (sizeof(struct past) + sizeof(uint32_t)),
                                        .offered = offered,
                                        .take = take,
                                        .place = place,
                                        .self = run};
    const struct optimal_listener listener = {ended, run};
    struct optimal_counts *counts = &run->inequivalent->counts;
    *counts = (struct optimal_counts){0};
    switch (walk_determined(&run->walk)) {
    case WALK_QUIET: return run->inequivalent->explore(&system, initial, &listener, counts);
    case WALK_FAULT: counts->orderings++; return ended(run, OPTIMAL_FAULT, initial, NULL, 0);
    case WALK_ENDLESS: counts->cut++; return ended(run, OPTIMAL_CUT, initial, NULL, 0);
    case WALK_STOPPED: break;
    }
    return false;
}

/* A cancellation, which is the sender's, and a match, the receiver's, exclude each other; and whether a send is right that is so only in
 * time depends on an order that leads to the same answers. */
const char *inequivalent_unsuited(const struct mpi_model *model) {
    const struct expectations *expected = mpi_model_expectations(model);
    return expected->cancels ? "it cancels requests" : expected->hurries > 0 ? "it makes ready or buffered sends" : NULL;
}

bool inequivalent_run(struct inequivalent *inequivalent) {
    struct run run = {.inequivalent = inequivalent,
                      .walk = {.ranks = inequivalent->ranks,
                               .model = inequivalent->model,
                               .steps = inequivalent->steps,
                               .stepped = note_answer,
                               .context = &run}};
    size_t ranks = inequivalent->ranks;
    struct past *initial = memory_take_zeroed(ranks * (sizeof(struct past) + sizeof(uint32_t)));
    walk_begin(&run.walk);
    uint32_t *begun = run.walk.state;
    memcpy(initial + ranks, begun, ranks * sizeof *begun);
    work_on(&run, initial);
    bool all = explore(&run, initial);
    run.walk.state = begun;
    walk_free(&run.walk);
    free(initial);
    free(run.offered);
    free(run.decision);
    return all;
}
