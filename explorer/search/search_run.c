/* The search proper: a lexicographic Dijkstra over the global state graph. An edge costs 1 difference if it is not what the
 * reference ordering does in its state, and 1 in length; so states are visited, each once, in the order of how many decisions lead
 * away from the reference ordering, then of how far they are.
 *
 * A small graph is explored by one worker that keeps a trail. Once it is larger, and if there are more workers, they explore each
 * layer together, without a trail; one that is alone gives it up when memory runs short. As soon as they meet anything that is to
 * be reported, everything is explored again by one worker with a trail, up to there: so what is found, and its witness, does not
 * depend on the number of workers. All steps are remembered by then. */
#include "explorer/containers/search_storage.h"
#include "explorer/search/search_parts.h"

enum {
    BLIND_FROM = 1 << 15,      /* states: below, other workers would hardly help */
    SHARED_FROM = 256,         /* states of a layer that are worth waking other workers for */
    HELPING = 32,              /* states that a worker takes at a time */
    RESTART_AT_ONCE = 1 << 14, /* states: below, a graph made with too few assumptions is not worth finishing */
    HOPE_UNTIL = 1 << 19, /* states: after graphs of so many together that proved nothing, not much is hoped for any more */
    HOPES_MOST = 64,      /* graphs, likewise */
    RESHAPE_FIRST = 1 << 12,
    RESHAPE_LAST = 1 << 17,
};

/* ---- layers ---- */

static void add_counts(struct search *search, struct worker *worker) {
    struct search_statistics *counted = &worker->counted;
    search->statistics.transitions += counted->transitions;
    search->statistics.deliveries += counted->deliveries;
    search->statistics.steps += counted->steps;
    search->statistics.states = atomic_fetch_add(&search->counted_states, counted->states) + counted->states;
    *counted = (struct search_statistics){0};
}

/* Empties `from`, which for a moment would else take as much memory again. */
static void append(struct search *search, struct layer *to, struct layer *from) {
    if (to->count == 0) {
        struct layer empty = *to;
        *to = *from;
        *from = empty;
        return;
    }
    for (size_t i = 0; i < from->count; i++)
        layer_push(to, from->name[i], !search->blind, search->blind ? TRAIL_NONE : from->trail[i]);
    layer_clear(from);
}

/* What the workers pushed goes to the layers after the one that they visited. */
static void collect(struct search *search) {
    for (unsigned i = 0; i < search->workers; i++) {
        struct worker *worker = &search->worker[i];
        add_counts(search, worker);
        if (worker->next.count)
            append(search, layers_now(&search->layers, search->layers.at + 1), &worker->next);
        if (worker->later.count)
            append(search, layers_later(&search->layers, search->layers.at + 1), &worker->later);
        worker->held = layer_memory(&worker->next) + layer_memory(&worker->later);
    }
}

/* Room for all that one state may lead to, for each worker. */
static size_t room_needed(const struct search *search) { return (size_t)search->workers * SEARCH_ALLOWANCE; }

static bool must_stop(struct search *search) {
    pthread_mutex_lock(&search->lock);
    bool stop = search_must_stop(search);
    pthread_mutex_unlock(&search->lock);
    return stop;
}

static void visit_alone(struct search *search, struct layer *layer, size_t from) {
    struct worker *worker = &search->worker[0];
    for (size_t i = from; i < layer->count && !search->stopped; i++) {
        if (i % HELPING == 0) {
            add_counts(search, worker);
            if (must_stop(search))
                return;
        }
        ahead_set(&worker->ahead, layer->name, i + 1, layer->count);
        search_visit(worker, layer->name[i], search->blind ? TRAIL_NONE : layer->trail[i]);
    }
}

/* ---- shifts of several workers ---- */

/* The set has to grow first: what the worker took and has not visited is left for the next shift. */
static void leave_over(struct worker *worker, size_t from, size_t to) {
    const struct layer *layer = worker->search->shift.layer;
    for (size_t i = from; i < to && i < layer->count; i++)
        layer_push(&worker->left, layer->name[i], false, TRAIL_NONE);
    worker->search->shift.crowded = true;
}

/* Among workers who may each add as many as they are allowed, there is room for all if each has seen that there was. To look costs
 * time: all of them change what is looked at. */
static bool has_allowance(struct worker *worker) {
    struct search *search = worker->search;
    if (worker->allowance >= SEARCH_WIDTH)
        return true;
    if (!state_set_has_room(search->states, room_needed(search)))
        return false;
    worker->allowance = SEARCH_ALLOWANCE;
    return true;
}

static void work(struct worker *worker) {
    struct search *search = worker->search;
    struct shift *shift = &search->shift;
    bool first = worker == search->worker;
    for (size_t i = 0, end = 0; !search->stopped; i++) {
        if (i == end) {
            i = atomic_fetch_add(&shift->taken, search->helping);
            end = i + search->helping;
            if (first && must_stop(search))
                return;
        }
        if (i >= shift->layer->count)
            return;
        if (!has_allowance(worker)) {
            leave_over(worker, i, end);
            return;
        }
        ahead_set(&worker->ahead, shift->layer->name, i + 1, end < shift->layer->count ? end : shift->layer->count);
        search_visit(worker, shift->layer->name[i], TRAIL_NONE);
    }
}

static void *help(void *argument) {
    struct worker *worker = argument;
    struct shift *shift = &worker->search->shift;
    unsigned seen = 0;
    pthread_mutex_lock(&shift->mutex);
    for (;;) {
        while (shift->number == seen && !shift->over)
            pthread_cond_wait(&shift->begins, &shift->mutex);
        if (shift->over)
            break;
        seen = shift->number;
        pthread_mutex_unlock(&shift->mutex);
        work(worker);
        pthread_mutex_lock(&shift->mutex);
        if (--shift->working == 0)
            pthread_cond_signal(&shift->ends);
    }
    pthread_mutex_unlock(&shift->mutex);
    return NULL;
}

/* What was left over, and what was not taken at all, at the front of the layer. */
static void gather_rest(struct search *search, struct layer *layer) {
    size_t rest = 0;
    for (size_t i = search->shift.taken; i < layer->count; i++)
        layer->name[rest++] = layer->name[i];
    layer->count = rest;
    for (unsigned i = 0; i < search->workers; i++)
        append(search, layer, &search->worker[i].left);
}

static void visit_together(struct search *search, struct layer *layer) {
    struct shift *shift = &search->shift;
    shift->layer = layer;
    search->sharing = true;
    while (layer->count && search_make_room(search, 2 * room_needed(search))) {
        shift->taken = 0;
        for (unsigned i = 0; i < search->workers; i++)
            search->worker[i].allowance = 0;
        shift->crowded = false;
        pthread_mutex_lock(&shift->mutex);
        shift->number++;
        shift->working = search->hired - 1;
        pthread_cond_broadcast(&shift->begins);
        pthread_mutex_unlock(&shift->mutex);
        work(&search->worker[0]);
        pthread_mutex_lock(&shift->mutex);
        while (shift->working)
            pthread_cond_wait(&shift->ends, &shift->mutex);
        pthread_mutex_unlock(&shift->mutex);
        for (unsigned i = 0; i < search->workers; i++)
            add_counts(search, &search->worker[i]);
        gather_rest(search, layer);
    }
    search->sharing = false;
}

/* Without those that cannot be had. Where they are to work together from the first states on, they share whatever can be shared. */
static void hire(struct search *search) {
    struct shift *shift = &search->shift;
    search->shared_from = search->options.blind_from ? 2 : SHARED_FROM;
    search->helping = search->options.blind_from ? 1 : HELPING;
    pthread_mutex_init(&shift->mutex, NULL);
    pthread_cond_init(&shift->begins, NULL);
    pthread_cond_init(&shift->ends, NULL);
    unsigned hired = 1;
    while (hired < search->workers && !pthread_create(&search->worker[hired].thread, NULL, help, &search->worker[hired]))
        hired++;
    search->hired = hired;
    if (hired > 1 && search->steps->share)
        search->steps->share(search->steps->self, &search->lock);
}

static void dismiss(struct search *search) {
    struct shift *shift = &search->shift;
    if (search->steps->share)
        search->steps->share(search->steps->self, NULL);
    pthread_mutex_lock(&shift->mutex);
    shift->over = true;
    pthread_cond_broadcast(&shift->begins);
    pthread_mutex_unlock(&shift->mutex);
    for (unsigned i = 1; i < search->hired; i++)
        pthread_join(search->worker[i].thread, NULL);
    pthread_cond_destroy(&shift->begins);
    pthread_cond_destroy(&shift->ends);
    pthread_mutex_destroy(&shift->mutex);
}

/* ---- the shape of the set ---- */

static void rename_layer(const struct search *search, const struct state_set *old, struct state_cache *cache,
                         struct layer *layer) {
    struct worker *worker = &search->worker[0];
    for (size_t i = 0; i < layer->count; i++) {
        state_set_load(old, cache, layer->name[i], worker->here);
        layer->name[i] = state_set_find(search->states, worker->cache, worker->here, state_kind(layer->name[i]));
    }
}

static void rename_trail(struct search *search, const struct state_set *old, struct state_cache *cache) {
    struct worker *worker = &search->worker[0];
    for (size_t i = 0; i < search->trail.count; i++) {
        state_name *name = &search->trail.track[i].name;
        state_set_load(old, cache, *name, worker->here);
        *name = state_set_find(search->states, worker->cache, worker->here, state_kind(*name));
    }
}

static void renew_caches(struct search *search) {
    for (unsigned i = 0; i < search->workers; i++) {
        state_cache_destroy(search->worker[i].cache);
        search->worker[i].cache = state_cache_create(search->ranks);
    }
}

/* Between layers: fits the set's tree to the states met so far, a few times while it is small. */
static void reshape(struct search *search) {
    size_t states = state_set_count(search->states);
    if (states < search->reshape_at || states > RESHAPE_LAST ||
        !search_has_memory_for(search, state_set_reshaping(search->states)))
        return;
    search->reshape_at = states * 8;
    struct state_set *old = search->states;
    struct state_cache *cache = state_cache_create(search->ranks);
    search->states = state_set_reshaped(old);
    renew_caches(search);
    rename_trail(search, old, cache);
    for (size_t i = search->layers.at; i < search->layers.nows; i++)
        rename_layer(search, old, cache, &search->layers.now[i]);
    for (size_t i = 0; i < search->layers.laters; i++)
        rename_layer(search, old, cache, &search->layers.later[i]);
    state_cache_destroy(cache);
    state_set_destroy(old);
}

/* ---- levels ---- */

/* The trail takes as much memory as all the rest. One that is given up in time leaves room for a graph of twice the size. */
static bool trail_is_too_long(struct search *search) {
    return !search->options.goal && !search_has_memory_for(search, trail_memory(&search->trail));
}

/* With more than a few states and several workers, or when memory runs short, the trail is given up. */
static void consider_blindness(struct search *search) {
    size_t from = search->options.blind_from ? search->options.blind_from : BLIND_FROM;
    bool blind = search->blind && !search->pretends;
    if (blind || search->sighted || search->symmetry_use == SYMMETRY_LEARNT || state_set_count(search->states) < from ||
        (search->hired == 1 && !trail_is_too_long(search)))
        return;
    search->blind = true;
    search->pretends = false;
    trail_clear(&search->trail);
}

/* Something found, or another outcome, would have to be found again with its ordering: such a search is not worth saving. */
static void offer_pause(struct search *search) {
    if (search->options.pause && !search->sighted && !search->stopped && !search->findings && search->outcomes <= 1)
        search->options.pause(search->options.pause_context);
}

static void visit_layer(struct search *search) {
    struct layers *layers = &search->layers;
    reshape(search);
    offer_pause(search);
    consider_blindness(search);
    symmetry_consider(search);
    if (search->turns)
        return;
    struct layer layer = layers->now[layers->at];
    layers->now[layers->at] = (struct layer){0};
    ahead_begin(&search->worker[0], &layer);
    if (search->blind && search->symmetry_use != SYMMETRY_USED && search->hired > 1 && layer.count >= search->shared_from)
        visit_together(search, &layer);
    else
        visit_alone(search, &layer, 0);
    for (unsigned i = 0; i < search->workers; i++)
        search->worker[i].ahead.name = NULL;
    collect(search);
    layer_clear(&layer);
    layers->at++;
}

/* Visits what waits in this level. False: the search is stopped. */
static bool visit_level(struct search *search) {
    struct layers *layers = &search->layers;
    search->worker[0].ahead.beyond = 0;
    while (layers->at < layers->nows && !search->stopped && !search->turns)
        visit_layer(search);
    return !search->stopped;
}

/* ---- from the root ---- */

static void begin(struct search *search) {
    struct worker *worker = &search->worker[0];
    findings_clear(search);
    trail_clear(&search->trail);
    layers_clear(&search->layers);
    state_set_destroy(search->states);
    search->states = state_set_create(search->ranks);
    renew_caches(search);
    search->reshape_at = RESHAPE_FIRST;
    search->statistics = (struct search_statistics){0};
    search->counted_states = 0;
    search->pretends = search->suspicious = search->turns = false;
    search->blind = search->symmetry_use == SYMMETRY_USED;
    search->reduced = search->failed = false;
    if (search->blind)
        symmetry_begin(search->symmetry);
    if (!search->options.goal && !search->steady)
        mpi_model_assume(search->model, !search->wary);
    pthread_mutex_lock(&search->lock); /* steps are waited for without it */
    reference_walk(search);
    pthread_mutex_unlock(&search->lock);
    if (search->options.root)
        memcpy(worker->here, search->options.root, search->ranks * sizeof *worker->here);
    else
        search_initial(search, worker->here);
    state_name root = state_set_name(search->states, worker->cache, worker->here, STATE_UNFINISHED);
    state_set_add(search->states, root);
    uint32_t trail = search->blind ? TRAIL_NONE : trail_add(&search->trail, (struct track){.name = root, .from = TRAIL_NONE});
    layer_push(layers_now(&search->layers, 0), root, !search->blind, trail);
}

/* Whether the ranks did something that was not assumed of them: then another graph is to be explored. A large one is finished
 * first, to learn all that can be learnt from it. */
static bool knows_better(const struct search *search, bool finished) {
    bool may_restart = !search->steady || search->layers.level >= search->steady_until;
    bool in_time = finished || (may_restart && state_set_count(search->states) < RESTART_AT_ONCE);
    return !search->options.goal && in_time && !mpi_model_assumed_enough(search->model);
}

/* Hope that comes to nothing must not cost much; nor must to fear anything of a local state that has just been met, which may
 * make a graph of millions of one of thousands. */
static void consider_hope(struct search *search) {
    search->hoped += state_set_count(search->states);
    search->wary |= search->hoped >= HOPE_UNTIL || ++search->again >= HOPES_MOST;
}

/* The first level is the reference ordering. */
static void note_reference(struct search *search) {
    if (search->reference_ended > 0 || (search->stopped && search->end != SEARCH_FOUND))
        return;
    search->reference_ended = search_clock();
    search->reference_deliveries = search->statistics.deliveries;
}

static bool next_level(struct search *search) {
    unsigned levels = search->options.levels;
    return (!levels || search->layers.level + 1 < levels) && layers_next_level(&search->layers);
}

/* TURNS: to be explored again, with another use of symmetry. */
enum exploration { EXPLORED, STOPPED, AGAIN, TURNS };

static enum exploration explore(struct search *search) {
    bool opened;
    if (!search->loaded)
        begin(search);
    search->loaded = false;
    do {
        do {
            bool visited = visit_level(search);
            if (search->layers.level == 0)
                note_reference(search);
            if (!visited)
                return STOPPED;
            if (search->turns)
                return TURNS;
            if (mpi_model_surprised(search->model))
                return EXPLORED; /* for nothing */
            if (knows_better(search, false))
                return AGAIN;
        } while (next_level(search));
        if (search->options.levels)
            break;
        if (symmetry_fails(search))
            return STOPPED;
        if (knows_better(search, true))
            return AGAIN;
        opened = search_open_cycles(search);
        collect(search);
    } while (opened);
    return search->stopped ? STOPPED : EXPLORED;
}

size_t search_level(const struct search *search) { return search->layers.level; }

bool search_reference_cost(const struct search *search, double *seconds, uint64_t *deliveries) {
    *seconds = search->reference_ended - search->started;
    *deliveries = search->reference_deliveries;
    return search->reference_ended > 0;
}

/* Something is to be reported, for which a trail is needed: all over again. Had it not been loaded, it would have had one: then it
 * goes the same way as it did. */
static bool regains_sight(struct search *search) {
    if (!search->suspicious)
        return false;
    if (search->symmetry_use == SYMMETRY_USED) {
        symmetry_give_up(search);
        search->stopped = false;
        return true;
    }
    if (search->pretends) {
        search->steady = true;
        search->steady_until = search->layers.level;
    }
    search->sighted = true;
    search->stopped = false;
    return true;
}

enum search_end search_run(struct search *search) {
    enum exploration explored;
    hire(search);
    do {
        explored = explore(search);
        if (explored == AGAIN) {
            search->steady = false;
            consider_hope(search);
        }
    } while (explored == AGAIN || explored == TURNS || (explored == STOPPED && regains_sight(search)));
    dismiss(search);
    search->statistics.states = atomic_load(&search->counted_states);
    search->statistics.frontier = layers_waiting(&search->layers);
    return search->stopped ? search->end : SEARCH_COMPLETE;
}
