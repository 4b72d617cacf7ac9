/* Looking ahead: a step that is missing where a worker is takes as long as many visits. Before it waits, it sees which steps the
 * states need that are visited next, so that executors are not idle in between. What it finds is only wanted; the visits come to
 * the same whether it looked or not. */
#include "explorer/search/search_parts.h"

#include <string.h>

enum {
    AHEAD_STATES = 64, /* from the one being visited */
    AHEAD_STEPS = 64,  /* enough for now */
};

void ahead_set(struct ahead *ahead, const state_name *name, size_t at, size_t end) {
    bool known = ahead->name == name && ahead->at > at;
    ahead->name = name;
    ahead->at = known ? ahead->at : at;
    ahead->end = end - at < AHEAD_STATES ? end : at + AHEAD_STATES;
    ahead->most = at + AHEAD_STATES - ahead->end;
}

void ahead_begin(struct worker *worker, const struct layer *layer) {
    struct ahead *ahead = &worker->ahead;
    ahead->name = layer->name;
    ahead->at = ahead->end = ahead->beyond;
    ahead->beyond = ahead->most = 0;
}

static void want(struct worker *worker, const struct transition *transition) {
    struct search *search = worker->search;
    struct ahead *ahead = &worker->ahead;
    memcpy(ahead->there, ahead->state, search->ranks * sizeof *ahead->state);
    pthread_mutex_lock(&search->lock);
    if (!search->stopped)
        moves_open(search, ahead->there, transition, &ahead->opening);
    pthread_mutex_unlock(&search->lock);
}

/* Returns how many steps are missing in a state, at least. */
static size_t want_missing(struct worker *worker, state_name name) {
    const struct search *search = worker->search;
    struct ahead *ahead = &worker->ahead;
    const struct offer *offer = &ahead->offer;
    size_t missing = 0;
    if (state_kind(name) != STATE_QUIET || state_set_has_mark(search->states, name, STATE_EXPANDED))
        return 0;
    state_set_load(search->states, worker->cache, name, ahead->state);
    search_offer(search, &ahead->offer, ahead->state);
    for (size_t i = 0; i < offer->chosen_count; i++) {
        struct again again;
        const struct transition *transition = &offer->transition[offer->chosen[i]];
        memcpy(ahead->there, ahead->state, search->ranks * sizeof *ahead->state);
        if (mpi_model_again(search->model, ahead->there, transition, &again))
            continue;
        want(worker, transition);
        missing++;
    }
    return missing;
}

/* Those of the next layer are in the order in which they will be visited if this worker is alone. NULL: so many are not known. */
static const state_name *beyond(const struct worker *worker, size_t at) {
    const struct layers *layers = &worker->search->layers;
    const bool any = layers->at + 1 < layers->nows;
    const size_t waiting = any ? layers->now[layers->at + 1].count : 0;
    if (at < waiting)
        return &layers->now[layers->at + 1].name[at];
    return at - waiting < worker->next.count ? &worker->next.name[at - waiting] : NULL;
}

void ahead_look(struct worker *worker) {
    struct ahead *ahead = &worker->ahead;
    size_t missing = 0;
    for (; ahead->at < ahead->end && missing < AHEAD_STEPS; ahead->at++)
        missing += want_missing(worker, ahead->name[ahead->at]);
    const state_name *name;
    while (!worker->search->sharing && missing < AHEAD_STEPS && ahead->beyond < ahead->most &&
           (name = beyond(worker, ahead->beyond)) != NULL) {
        ahead->beyond++;
        missing += want_missing(worker, *name);
    }
}
