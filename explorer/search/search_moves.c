/* Determined moves. Between two decisions every rank that has only one possible answer is answered, round after round; all of one
 * round's steps are wanted before the first is asked for, so that executors overlap. These moves commute with each other and with
 * every transition, so their order is no choice. */
#include "explorer/containers/search_storage.h"
#include "explorer/search/deliveries.h"
#include "explorer/search/search_parts.h"
#include "models/mpi/functions.h"

#include <stdio.h>
#include <string.h>

static void add_fault(struct worker *worker, const struct fault *fault) {
    worker->fault = storage_grow(worker->fault, &worker->fault_room, worker->faults + 1, sizeof *worker->fault);
    worker->fault[worker->faults++] = *fault;
}

bool search_has_failed(const struct search *search, const uint32_t *state) {
    for (unsigned rank = 0; rank < search->ranks; rank++)
        if (mpi_model_ended(search->model, state[rank]) && step_ended_badly(mpi_model_result(search->model, state[rank])))
            return true;
    return false;
}

/* A rank that finds fault with what another one brings to a collective does not always know where that one has entered it. */
static struct where find_entered(const struct search *search, const uint32_t *state, unsigned rank,
                                 const struct wire_end *end) {
    const struct wire_place *place = &end->place[0];
    uint32_t site = (uint32_t)end->site;
    if (place->function == FUNCTION_none || place->site != 0 ||
        !mpi_model_collective_partner(search->model, state, rank, (unsigned)place->rank, end->function, &site))
        return (struct where){0};
    return (struct where){.rank = (uint16_t)place->rank, .function = place->function, .site = site};
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
    if (result && result->end.kind == WIRE_AGENTS && (result->end.code & AGENTS_ANNOUNCING) &&
        2 * search->program_ranks > MAX_RANKS) {
        search_stop(search, SEARCH_REFUSED,
                    "an owner of a window that reads, before it says something to others, what is changed in the same epoch of "
                    "fences or post, is not supported on more than 512 ranks");
    } else if (result && result->end.kind == WIRE_AGENTS) {
        search->agents_wanted = result->end.code;
        search->place_wanted = result->end_text;
        search_stop(search, SEARCH_AGENTS, NULL);
    } else if (result)
        search_stop(search, SEARCH_REFUSED, result->end_text);
    else if (!search_must_stop(search))
        search_stop(search, SEARCH_FAILED, NULL);
}

/* Runs one rank on. `transition`: what its answer was chosen by, NULL if it was determined. False: the search is stopped. */
static bool step(struct worker *worker, uint32_t *state, unsigned rank, const struct transition *transition,
                 const struct resolution *answer) {
    struct search *search = worker->search;
    const struct step_source *steps = search->steps;
    uint32_t before = state[rank];
    const struct step_result *result = steps->get(steps->self, mpi_model_local(search->model, state[rank]), answer);
    worker->counted.steps++;
    if (!result || (result->ended && (result->end.kind == WIRE_REFUSED || result->end.kind == WIRE_AGENTS))) {
        give_up(search, result);
        return false;
    }
    if (search->symmetry && !step_ended_badly(result) && !symmetry_note(search->symmetry, state, rank, answer, result)) {
        symmetry_breaks(search);
        return false;
    }
    uint64_t deliveries = deliveries_in(answer);
    worker->counted.deliveries += deliveries;
    mpi_model_step(search->model, state, rank, answer, result);
    if (search->event && rank < search->program_ranks)
        tell_event(search, rank, result);
    if (step_ended_badly(result))
        add_fault(worker, &(struct fault){.rank = (uint16_t)rank,
                                          .result = result,
                                          .entered = find_entered(search, state, rank, &result->end)});
    else if (!search->symmetry || !symmetry_is_always_told(search->symmetry, result->local))
        mpi_model_remember(search->model, state, rank, before, transition, answer, result, (uint32_t)deliveries);
    return true;
}

/* A copy of an answer, in memory used again. */
static void keep(struct resolution **copy, size_t *room, const struct resolution *answer) {
    size_t bytes = resolution_size(answer);
    *copy = storage_grow(*copy, room, bytes, 1);
    memcpy(*copy, answer, bytes);
}

static bool settle(struct worker *worker, uint32_t *state) {
    struct violation violation;
    if (mpi_model_settle(worker->search->model, state, &violation))
        return true;
    add_fault(worker, &(struct fault){.rank = violation.rank, .violation = violation});
    return false;
}

/* Finds the ranks that are ready and says which steps will be wanted. */
static unsigned find_ready(struct worker *worker, const uint32_t *state) {
    struct search *search = worker->search;
    const struct step_source *steps = search->steps;
    unsigned ready = 0;
    for (unsigned rank = 0; rank < search->ranks; rank++) {
        const struct resolution *resolution = mpi_model_ready(search->model, state, rank);
        worker->answer[rank].given = resolution != NULL;
        if (!resolution)
            continue;
        ready++;
        keep(&worker->answer[rank].resolution, &worker->answer[rank].room, resolution);
        steps->want(steps->self, mpi_model_local(search->model, state[rank]), resolution, false);
    }
    return ready;
}

/* A rank that failed does not stop the others: what they do until the next decision is independent of it, and may fail too. */
static enum move_end chain(struct worker *worker, uint32_t *state) {
    struct search *search = worker->search;
    for (unsigned done = 0; done < MOVE_CHAIN_LIMIT;) {
        if (search_must_stop(search))
            return MOVE_STOPPED;
        if (!settle(worker, state))
            return MOVE_FAULT;
        unsigned ready = find_ready(worker, state);
        if (!ready)
            return worker->faults ? MOVE_FAULT : MOVE_QUIET;
        for (unsigned rank = 0; rank < search->ranks; rank++)
            if (worker->answer[rank].given && !step(worker, state, rank, NULL, worker->answer[rank].resolution))
                return MOVE_STOPPED;
        done += ready;
    }
    return worker->faults ? MOVE_FAULT : MOVE_UNFINISHED;
}

enum move_end moves_determined(struct worker *worker, uint32_t *state) {
    worker->faults = 0;
    return chain(worker, state);
}

/* A rank that a transition made ready, if it did. */
static void want_ready(struct search *search, const uint32_t *state, unsigned rank) {
    const struct step_source *steps = search->steps;
    const struct resolution *answer = mpi_model_ready(search->model, state, rank);
    if (answer)
        steps->want(steps->self, mpi_model_local(search->model, state[rank]), answer, true);
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
    keep(&opening->answer, &opening->room, answer);
    const struct step_source *steps = search->steps;
    steps->want(steps->self, mpi_model_local(search->model, state[transition->owner]), opening->answer, true);
}

enum move_end moves_close(struct worker *worker, uint32_t *state, const struct opening *opening) {
    worker->faults = 0;
    if (opening->violation.class_name) {
        add_fault(worker, &(struct fault){.rank = opening->violation.rank, .violation = opening->violation});
        return MOVE_FAULT;
    }
    if (opening->answered && !step(worker, state, opening->transition.owner, &opening->transition, opening->answer))
        return MOVE_STOPPED;
    return chain(worker, state);
}
