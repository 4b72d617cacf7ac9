#include "explorer/search/walk.h"

#include "explorer/containers/memory.h"

#include <stdlib.h>

enum { STEPS_MOST = 1 << 20 }; /* without a decision */

void walk_begin(struct walk *walk) {
    walk->state = memory_take_zeroed(walk->ranks * sizeof *walk->state);
    walk->ready = memory_take(walk->ranks * sizeof *walk->ready);
    for (unsigned rank = 0; rank < walk->ranks; rank++)
        walk->state[rank] = mpi_model_initial(walk->model, walk->steps->root(walk->steps->self, rank));
}

void walk_free(struct walk *walk) {
    free(walk->state);
    free(walk->ready);
    free(walk->offered.item);
    walk->state = NULL;
    walk->ready = NULL;
    walk->offered = (struct transition_list){0};
}

size_t walk_offered(struct walk *walk, const struct transition **list) {
    size_t count = mpi_model_transitions(walk->model, walk->state, &walk->offered);
    *list = walk->offered.item;
    return count;
}

bool walk_is_decision(const struct transition *transition, size_t choices) {
    return choices > 1 || transition->miss || transition->optional;
}

bool walk_all_ended(const struct walk *walk) {
    for (unsigned rank = 0; rank < walk->ranks; rank++)
        if (!mpi_model_ended(walk->model, walk->state[rank]))
            return false;
    return true;
}

static bool step(struct walk *walk, unsigned rank, const struct resolution *answer) {
    const struct step_result *result =
        walk->steps->get(walk->steps->self, mpi_model_local(walk->model, walk->state[rank]), answer);
    if (!result || (result->ended && result->end.kind == WIRE_REFUSED))
        return false;
    mpi_model_step(walk->model, walk->state, rank, answer, result);
    walk->ended_badly |= step_ended_badly(result);
    if (walk->stepped)
        walk->stepped(walk->context, walk, rank, answer, result);
    return true;
}

enum walk_end walk_determined(struct walk *walk) {
    for (size_t steps = 0; steps < STEPS_MOST;) {
        struct violation violation;
        if (!mpi_model_settle(walk->model, walk->state, &violation)) {
            walk->ended_badly = true;
            return WALK_FAULT;
        }
        size_t before = steps;
        /* All answers first: what a step adds must be settled before anybody else is answered. */
        for (unsigned rank = 0; rank < walk->ranks; rank++)
            walk->ready[rank] = mpi_model_ready(walk->model, walk->state, rank);
        for (unsigned rank = 0; rank < walk->ranks; rank++) {
            if (!walk->ready[rank])
                continue;
            steps++;
            if (!step(walk, rank, walk->ready[rank]))
                return WALK_STOPPED;
        }
        if (steps == before)
            return walk->ended_badly ? WALK_FAULT : WALK_QUIET;
    }
    return WALK_ENDLESS;
}

enum walk_end walk_take(struct walk *walk, const struct transition *transition) {
    const struct transition taken = *transition; /* the model's list is overwritten */
    struct violation violation;
    if (walk->taking)
        walk->taking(walk->context, walk, &taken);
    walk->moves++;
    const struct resolution *answer = mpi_model_take(walk->model, walk->state, &taken, &violation);
    if (violation.class_name) {
        walk->ended_badly = true;
        return WALK_FAULT;
    }
    if (answer) { /* copied: stepping makes answers too */
        size_t bytes = resolution_size(answer);
        struct resolution *copy = memory_copy(answer, bytes);
        bool went_on = step(walk, taken.owner, copy);
        free(copy);
        if (!went_on)
            return WALK_STOPPED;
    }
    return walk_determined(walk);
}

enum walk_end walk_along(struct walk *walk, const struct transition *list, size_t count, size_t most) {
    enum walk_end end = walk_determined(walk);
    for (size_t i = 0, decisions = 0; i < count && end == WALK_QUIET; i++) {
        const struct transition *offered;
        size_t choices = walk_offered(walk, &offered);
        bool decision = walk_is_decision(&list[i], choices);
        if (decision && decisions == most)
            break;
        decisions += decision;
        end = walk_take(walk, &list[i]);
    }
    return end;
}
