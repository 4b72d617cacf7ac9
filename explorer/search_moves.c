/* Determined moves. Between two decisions every rank that has only one possible answer is answered, round after round; all of one
 * round's steps are wanted before the first is asked for, so that executors overlap. These moves commute with each other and with
 * every transition, so their order is no choice. */
#include "explorer/deliveries.h"
#include "explorer/search_parts.h"
#include "explorer/search_storage.h"

#include <stdio.h>
#include <string.h>

enum { NOBODY = UINT32_MAX, LATE_MOST = 16 }; /* receivers of a chain that are tried late */

static void add_fault(struct search *search, const struct fault *fault) {
    search->fault = storage_grow(search->fault, &search->fault_room, search->faults + 1, sizeof *search->fault);
    search->fault[search->faults++] = *fault;
}

static bool ended_badly(const struct step_result *result) {
    return result->ended && (result->end.kind != WIRE_EXIT || result->end.code != 0 || !result->end.finalized);
}

static void tell_event(const struct search *search, unsigned rank, const struct step_result *result) {
    struct decision decision = {
        .local = result->local,
        .transition = {.owner = (uint16_t)rank, .partner = (uint16_t)rank},
        .story = {.verb = result->ended ? "ends" : "goes on to",
                  .owner = (uint16_t)rank,
                  .partner = (uint16_t)rank,
                  .function = result->ended ? result->end.function : result->call.function,
                  .site = result->ended ? (uint32_t)result->end.site : result->call.site,
                  .tag = WIRE_ANY_TAG},
    };
    search->event(search->event_context, &decision);
}

static void give_up(struct search *search, const struct step_result *result) {
    if (result && result->end.kind == WIRE_AGENTS) {
        search->agents_wanted = result->end.code;
        search_stop(search, SEARCH_AGENTS, NULL);
    } else if (result)
        search_stop(search, SEARCH_REFUSED, result->end_text);
    else if (!search_must_stop(search))
        search_stop(search, SEARCH_FAILED, NULL);
}

/* Runs one rank on. `transition`: what its answer was chosen by, NULL if it was determined. False: the search is stopped. */
static bool step(struct search *search, uint32_t *state, unsigned rank, const struct transition *transition,
                 const struct resolution *answer) {
    const struct step_source *steps = search->steps;
    uint32_t before = state[rank];
    const struct step_result *result = steps->get(steps->self, mpi_model_local(search->model, state[rank]), answer);
    search->statistics.steps++;
    if (!result || (result->ended && (result->end.kind == WIRE_REFUSED || result->end.kind == WIRE_AGENTS))) {
        give_up(search, result);
        return false;
    }
    uint64_t deliveries = deliveries_in(answer);
    search->statistics.deliveries += deliveries;
    mpi_model_step(search->model, state, rank, answer, result);
    if (search->event && rank < search->program_ranks)
        tell_event(search, rank, result);
    if (!ended_badly(result))
        mpi_model_remember(search->model, before, transition, answer, result, (uint32_t)deliveries, state[rank]);
    else
        add_fault(search, &(struct fault){.rank = (uint16_t)rank, .result = result});
    return true;
}

static bool settle(struct search *search, uint32_t *state) {
    struct violation violation;
    if (mpi_model_settle(search->model, state, &violation))
        return true;
    add_fault(search, &(struct fault){.rank = violation.rank, .violation = violation});
    return false;
}

/* Finds the ranks that are ready and says which steps will be wanted. `late` is left out as long as there are others. */
static unsigned find_ready(struct search *search, const uint32_t *state, unsigned late) {
    const struct step_source *steps = search->steps;
    unsigned ready = 0;
    for (unsigned rank = 0; rank < search->ranks; rank++) {
        search->ready[rank] = mpi_model_ready(search->model, state, rank);
        if (!search->ready[rank])
            continue;
        ready++;
        steps->want(steps->self, mpi_model_local(search->model, state[rank]), search->ready[rank]);
    }
    if (ready > 1 && late != NOBODY && search->ready[late]) {
        search->ready[late] = NULL;
        ready--;
    }
    return ready;
}

/* A rank that failed does not stop the others: what they do until the next decision is independent of it, and may fail too. */
static enum move_end chain_late(struct search *search, uint32_t *state, unsigned late) {
    for (unsigned done = 0; done < MOVE_CHAIN_LIMIT;) {
        if (search_must_stop(search))
            return MOVE_STOPPED;
        if (!settle(search, state))
            return MOVE_FAULT;
        unsigned ready = find_ready(search, state, late);
        if (!ready)
            return search->faults ? MOVE_FAULT : MOVE_QUIET;
        for (unsigned rank = 0; rank < search->ranks; rank++)
            if (search->ready[rank] && !step(search, state, rank, NULL, search->ready[rank]))
                return MOVE_STOPPED;
        done += ready;
    }
    return search->faults ? MOVE_FAULT : MOVE_UNFINISHED;
}

/* The same chain, in which `late` moves only when nobody else can. */
static bool breaks_rule_late(struct search *search, const uint32_t *start, unsigned late) {
    const struct search_statistics statistics = search->statistics;
    void (*event)(void *context, const struct decision *decision) = search->event;
    search->event = NULL;
    search->faults = 0;
    memcpy(search->late_state, start, search->ranks * sizeof *start);
    enum move_end end = chain_late(search, search->late_state, late);
    search->event = event;
    search->statistics = statistics;
    return end == MOVE_FAULT;
}

/* All orders of a chain lead to the same state, but ready sends and buffered ones may be wrong in one of them only: where
 * their receiver is late. */
static enum move_end chain(struct search *search, uint32_t *state) {
    memcpy(search->chain_start, state, search->ranks * sizeof *state);
    enum move_end end = chain_late(search, state, NOBODY);
    const struct rank_set *receivers = mpi_model_receivers_in_time(search->model);
    if ((end != MOVE_QUIET && end != MOVE_UNFINISHED) || rank_set_is_empty(receivers))
        return end;
    for (unsigned rank = 0, tried = 0; rank < search->ranks && tried < LATE_MOST && !search->stopped; rank++) {
        if (!rank_set_has(receivers, rank))
            continue;
        tried++;
        if (breaks_rule_late(search, search->chain_start, rank)) {
            memcpy(state, search->late_state, search->ranks * sizeof *state);
            return MOVE_FAULT;
        }
    }
    search->faults = 0;
    return search->stopped ? MOVE_STOPPED : end;
}

enum move_end moves_determined(struct search *search, uint32_t *state) {
    search->faults = 0;
    return chain(search, state);
}

/* A rank that a transition made ready, if it did. */
static void want_ready(struct search *search, const uint32_t *state, unsigned rank) {
    const struct step_source *steps = search->steps;
    const struct resolution *answer = mpi_model_ready(search->model, state, rank);
    if (answer)
        steps->want(steps->self, mpi_model_local(search->model, state[rank]), answer);
}

void moves_open(struct search *search, uint32_t *state, const struct transition *transition, struct opening *opening) {
    opening->violation.class_name = NULL;
    opening->transition = *transition;
    const struct resolution *answer = mpi_model_take(search->model, state, transition, &opening->violation);
    opening->answered = answer != NULL;
    if (!answer) {
        want_ready(search, state, transition->owner);
        if (transition->partner != transition->owner)
            want_ready(search, state, transition->partner);
        return;
    }
    size_t bytes = sizeof *answer + answer->completions * sizeof answer->completion[0];
    opening->answer = storage_grow(opening->answer, &opening->room, bytes, 1);
    memcpy(opening->answer, answer, bytes);
    const struct step_source *steps = search->steps;
    steps->want(steps->self, mpi_model_local(search->model, state[transition->owner]), opening->answer);
}

enum move_end moves_close(struct search *search, uint32_t *state, const struct opening *opening) {
    search->faults = 0;
    if (opening->violation.class_name) {
        add_fault(search, &(struct fault){.rank = opening->violation.rank, .violation = opening->violation});
        return MOVE_FAULT;
    }
    if (opening->answered && !step(search, state, opening->transition.owner, &opening->transition, opening->answer))
        return MOVE_STOPPED;
    return chain(search, state);
}
