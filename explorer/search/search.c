/* The search's life, its budgets, and what states offer. */
#include "explorer/containers/search_storage.h"
#include "explorer/search/persistent_moves.h"
#include "explorer/search/search_parts.h"
#include "heuristics/reference_order.h"

#include <assert.h>
#include <time.h>

static const double PROGRESS_SECONDS = 0.1;

double search_clock(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void begin_worker(struct search *search, struct worker *worker) {
    unsigned ranks = search->ranks;
    *worker = (struct worker){.search = search,
                              .cache = state_cache_create(ranks),
                              .here = storage_new_apart(ranks, sizeof *worker->here),
                              .answer = storage_new_apart(ranks, sizeof *worker->answer)};
    worker->ahead = (struct ahead){.state = storage_new_apart(ranks, sizeof *worker->ahead.state),
                                   .there = storage_new_apart(ranks, sizeof *worker->ahead.there),
                                   .offer = {.persistent = persistent_create(ranks), .tentative = true}};
    struct persistent *persistent = persistent_create(ranks);
    worker->offer = storage_new_apart(1, sizeof *worker->offer);
    worker->offer->persistent = persistent;
}

static void end_offer(struct offer *offer) {
    persistent_destroy(offer->persistent);
    free(offer->list.item);
    free(offer->chosen);
}

static void end_moves(struct worker *worker) {
    for (unsigned rank = 0; rank < worker->search->ranks; rank++)
        free(worker->answer[rank].resolution);
    for (size_t i = 0; i < worker->opening_room; i++)
        free(worker->opening[i].answer);
    free(worker->answer);
    free(worker->opening);
    free(worker->fault);
}

static void end_ahead(struct ahead *ahead) {
    end_offer(&ahead->offer);
    free(ahead->opening.answer);
    free(ahead->state);
    free(ahead->there);
}

static void end_worker(struct worker *worker) {
    end_moves(worker);
    end_ahead(&worker->ahead);
    end_offer(worker->offer);
    free(worker->offer);
    state_cache_destroy(worker->cache);
    free(worker->here);
    free(worker->there);
    free(worker->reached);
    layer_clear(&worker->next);
    layer_clear(&worker->later);
    layer_clear(&worker->left);
}

struct search *search_create(unsigned ranks, struct mpi_model *model, const struct step_source *steps,
                             const struct search_options *options, const volatile bool *interrupt,
                             void (*progress)(void *context, const struct search_statistics *statistics),
                             uint64_t (*memory_used)(void *context), void *context) {
    struct search *search = storage_new(1, sizeof *search);
    search->ranks = ranks;
    search->program_ranks = ranks - options->agents;
    search->model = model;
    search->steps = steps;
    search->options = *options;
    search->interrupt = interrupt;
    search->progress = progress;
    search->memory_used = memory_used;
    search->context = context;
    search->states = state_set_create(ranks);
    search->workers = options->workers ? options->workers : 1;
    search->worker = storage_new(search->workers, sizeof *search->worker);
    for (unsigned i = 0; i < search->workers; i++)
        begin_worker(search, &search->worker[i]);
    search->offer = search->worker[0].offer;
    pthread_mutex_init(&search->lock, NULL);
    search->first_end = storage_new(ranks, sizeof *search->first_end);
    search->end_locals = storage_new(ranks, sizeof *search->end_locals);
    search->started = search->checked = search->reported = search_clock();
    return search;
}

void search_destroy(struct search *search) {
    if (!search)
        return;
    findings_clear(search);
    reference_forget(search);
    symmetry_destroy(search->symmetry);
    for (unsigned i = 0; i < search->workers; i++)
        end_worker(&search->worker[i]);
    free(search->worker);
    free(search->first_end);
    free(search->followed.decision);
    free(search->end_locals);
    free(search->refusal);
    trail_clear(&search->trail);
    layers_clear(&search->layers);
    state_set_destroy(search->states);
    pthread_mutex_destroy(&search->lock);
    free(search);
}

void search_stop(struct search *search, enum search_end end, const char *refusal) {
    if (search->stopped)
        return;
    search->end = end;
    if (refusal)
        search->refusal = storage_checked(strdup(refusal));
    search->stopped = true;
}

bool search_has_memory_for(struct search *search, uint64_t bytes) {
    return !search->options.memory_bytes || !search->memory_used ||
           search->memory_used(search->context) + bytes < search->options.memory_bytes;
}

bool search_make_room(struct search *search, size_t states) {
    uint64_t bytes = state_set_growth(search->states, states);
    if (bytes && !search_has_memory_for(search, bytes))
        search_stop(search, SEARCH_MEMORY, NULL);
    else
        state_set_make_room(search->states, states);
    return !search->stopped;
}

bool search_must_stop(struct search *search) {
    if (search->stopped)
        return true;
    if (search->interrupt && *search->interrupt)
        search_stop(search, SEARCH_INTERRUPTED, NULL);
    double time = search_clock();
    if (time == search->checked)
        return search->stopped;
    search->checked = time; /* once a clock tick, some milliseconds, is often enough for the rest */
    if (search->options.seconds > 0 && time - search->started >= search->options.seconds)
        search_stop(search, SEARCH_TIME, NULL);
    else if (!search_has_memory_for(search, 0))
        search_stop(search, SEARCH_MEMORY, NULL);
    if (search->progress && time - search->reported >= PROGRESS_SECONDS) {
        search->reported = time;
        search->statistics.frontier = layers_waiting(&search->layers);
        search->progress(search->context, &search->statistics);
    }
    return search->stopped;
}

void search_initial(struct search *search, uint32_t *state) {
    for (unsigned rank = 0; rank < search->ranks; rank++)
        state[rank] = mpi_model_initial(search->model, search->steps->root(search->steps->self, rank));
}

bool search_at_end(const struct search *search, const struct offer *offer, const uint32_t *state) {
    if (offer->count)
        return false;
    for (unsigned rank = 0; rank < search->program_ranks; rank++)
        if (!mpi_model_ended(search->model, state[rank]))
            return false;
    return true;
}

/* ---- what a state offers ---- */

void search_list(const struct search *search, struct offer *offer, const uint32_t *state) {
    offer->count = mpi_model_transitions(search->model, state, &offer->list);
    offer->transition = offer->list.item;
    offer->chosen = storage_grow(offer->chosen, &offer->chosen_room, offer->count, sizeof *offer->chosen);
    offer->chosen_count = 0;
}

bool offer_has_promised(const struct offer *offer) {
    for (size_t i = 0; i < offer->count; i++)
        if (!offer->transition[i].optional)
            return true;
    return false;
}

void offer_choose_all(struct offer *offer) {
    for (size_t i = 0; i < offer->count; i++)
        offer->chosen[i] = (uint32_t)i;
    offer->chosen_count = offer->count;
}

void search_offer(const struct search *search, struct offer *offer, const uint32_t *state) {
    search_list(search, offer, state);
    if (offer_has_promised(offer))
        offer->chosen_count = persistent_moves(offer->persistent, search->model, state, !offer->tentative, offer->transition,
                                               offer->count, offer->chosen);
    else
        offer_choose_all(offer);
    offer->reference = reference_default(offer->transition, offer->chosen, offer->chosen_count);
    reference_prefer(search, offer, state);
}

void search_offer_within_chain(struct search *search, struct offer *offer, uint32_t *state) {
    struct violation violation;
    offer->count = offer->chosen_count = 0;
    offer->reference = REFERENCE_NONE;
    if (!mpi_model_settle(search->model, state, &violation))
        return; /* the chain itself will run into it */
    search_list(search, offer, state);
    for (size_t i = 0; i < offer->count; i++)
        if (!mpi_model_ready(search->model, state, offer->transition[i].owner))
            offer->chosen[offer->chosen_count++] = (uint32_t)i;
}

/* ---- results ---- */

size_t search_findings(const struct search *search, const struct finding **list) {
    *list = search->finding;
    return search->findings;
}

const struct search_statistics *search_statistics(const struct search *search) { return &search->statistics; }

int search_agents_wanted(const struct search *search) { return search->agents_wanted; }

const char *search_place_wanted(const struct search *search) { return search->place_wanted ? search->place_wanted : ""; }

const char *search_refusal(const struct search *search) { return search->refusal; }

uint64_t search_memory(const struct search *search) {
    uint64_t bytes =
        state_set_memory(search->states) + layers_memory(&search->layers) + trail_memory(&search->trail) + search->aside_bytes;
    if (search->symmetry)
        bytes += symmetry_memory(search->symmetry);
    for (unsigned i = 0; i < search->workers; i++)
        bytes += atomic_load_explicit(&search->worker[i].held, memory_order_relaxed);
    return bytes;
}

static int compare_hashes(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

size_t search_outcomes(const struct search *search, const uint64_t **list) {
    /* Made on demand; the list is no part of what the search is. */
    struct search *cache = (struct search *)search;
    free(cache->outcome_list);
    cache->outcome_list = storage_new(search->outcomes, sizeof *cache->outcome_list);
    for (size_t i = 0; i < search->outcomes; i++)
        cache->outcome_list[i] = search->outcome[i].hash;
    qsort(cache->outcome_list, search->outcomes, sizeof *cache->outcome_list, compare_hashes);
    *list = cache->outcome_list;
    return search->outcomes;
}
