#include "explorer/search/witness.h"
#include "explorer/containers/search_storage.h"

bool transition_equal(const struct transition *a, const struct transition *b) {
    return a->kind == b->kind && a->owner == b->owner && a->partner == b->partner && a->a == b->a && a->b == b->b;
}

struct decision decision_of(const struct search *search, const uint32_t *state, const struct transition *list, size_t count,
                            size_t choice, bool differs) {
    struct decision decision = {.transition = list[choice],
                                .choice = (uint32_t)choice,
                                .choices = (uint32_t)count,
                                .differs = differs,
                                .local = mpi_model_local(search->model, state[list[choice].owner])};
    mpi_model_tell(search->model, state, &decision.transition, &decision.story);
    return decision;
}

/* Adds the decision on the last edge to a track, if it is one. */
static void add_decision(struct search *search, struct ordering *ordering, uint32_t *state, const struct track *track) {
    if (track->from == TRAIL_NONE || track->edge.via == VIA_NOTHING)
        return;
    state_name from = search->trail.track[track->from].name;
    state_set_load(search->states, search->worker[0].cache, from, state);
    struct violation violation;
    if (state_kind(from) == STATE_UNFINISHED)
        mpi_model_settle(search->model, state, &violation);
    struct transition_list list = {0};
    size_t count = mpi_model_transitions(search->model, state, &list);
    if (is_decision(&list.item[track->edge.via], count))
        ordering->decision[ordering->decisions++] =
            decision_of(search, state, list.item, count, track->edge.via, track->edge.differs);
    free(list.item);
}

struct ordering ordering_to(struct search *search, uint32_t at) {
    size_t length;
    uint32_t *path = trail_path(&search->trail, at, &length), *state = storage_new(search->ranks, sizeof *state);
    struct ordering ordering = {.decision = storage_new(length, sizeof *ordering.decision)};
    for (size_t i = 0; i < length; i++)
        add_decision(search, &ordering, state, &search->trail.track[path[i]]);
    free(state);
    free(path);
    return ordering;
}

struct ordering ordering_copy(const struct ordering *ordering) {
    struct ordering copy = *ordering;
    copy.decision = storage_new(ordering->decisions, sizeof *copy.decision);
    if (ordering->decisions)
        memcpy(copy.decision, ordering->decision, ordering->decisions * sizeof *copy.decision);
    return copy;
}
