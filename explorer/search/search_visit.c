/* Visiting one state: takes the transitions that the reduction asks for. What is remembered of moves is used without a lock; the
 * rest goes the long way, by model and steps, one worker at a time. */
#include "explorer/containers/search_storage.h"
#include "explorer/search/search_parts.h"

static enum state_kind kind_reached(enum move_end end) {
    switch (end) {
    case MOVE_UNFINISHED: return STATE_UNFINISHED;
    case MOVE_FAULT: return STATE_FAULT;
    default: return STATE_QUIET;
    }
}

/* The place of the track by which a state is visited. */
struct visit {
    struct worker *worker;
    state_name name;
    uint32_t trail;
    bool aftermath; /* a rank has failed before: no orderings, but what others do may have come before it failed */
};

/* ---- the states reached ---- */

/* False: the budget does not allow for one more. Without one, each worker counts his own. */
static bool count_state(struct worker *worker, enum state_kind kind) {
    struct search *search = worker->search;
    if (kind == STATE_UNFINISHED)
        return true;
    if (!search->options.states) {
        worker->counted.states++;
        return true;
    }
    uint64_t counted = atomic_fetch_add_explicit(&search->counted_states, 1, memory_order_relaxed) + 1;
    if (counted <= search->options.states)
        return true;
    atomic_fetch_sub_explicit(&search->counted_states, 1, memory_order_relaxed);
    return false;
}

static void push(const struct visit *visit, state_name name, struct edge edge) {
    struct search *search = visit->worker->search;
    struct layer *layer = edge.differs ? &visit->worker->later : &visit->worker->next;
    uint32_t trail = search->blind ? TRAIL_NONE : trail_add(&search->trail, (struct track){name, visit->trail, edge});
    layer_push(layer, name, !search->blind, trail);
    size_t held = layer_memory(&visit->worker->next) + layer_memory(&visit->worker->later);
    atomic_store_explicit(&visit->worker->held, held, memory_order_relaxed);
}

/* Notes an edge to a state. One met before waits already where it would be put now, or before, with one exception: it may wait
 * in the next level, and is now reached in this one. False: the search is stopped. */
static bool link_to(const struct visit *visit, state_name name, struct edge edge) {
    struct worker *worker = visit->worker;
    struct search *search = worker->search;
    bool added = state_set_add(search->states, name);
    if (added && !visit->aftermath && !count_state(worker, state_kind(name))) {
        pthread_mutex_lock(&search->lock);
        search_stop(search, SEARCH_STATES, NULL);
        pthread_mutex_unlock(&search->lock);
        return false;
    }
    worker->counted.transitions += !visit->aftermath;
    if (added || (!edge.differs && !state_set_has_mark(search->states, name, STATE_EXPANDED)))
        push(visit, name, edge);
    return true;
}

/* ---- transitions ---- */

static uint32_t *state_there(const struct worker *worker, size_t i) { return worker->there + i * worker->search->ranks; }

/* Whatever is remembered. Returns how many transitions are left open. */
static size_t take_remembered(struct worker *worker) {
    const struct offer *offer = worker->offer;
    struct search *search = worker->search;
    size_t open = 0;
    worker->there =
        storage_grow(worker->there, &worker->there_room, offer->chosen_count * search->ranks, sizeof *worker->there);
    worker->reached = storage_grow(worker->reached, &worker->reached_room, offer->chosen_count, sizeof *worker->reached);
    for (size_t i = 0; i < offer->chosen_count; i++) {
        struct again again;
        memcpy(state_there(worker, i), worker->here, search->ranks * sizeof *worker->here);
        worker->reached[i] = (struct reached){.kind = STATE_QUIET};
        if (mpi_model_again(search->model, state_there(worker, i), &offer->transition[offer->chosen[i]], &again)) {
            worker->counted.steps += again.steps;
            worker->counted.deliveries += again.deliveries;
        } else {
            worker->reached[i].open = true;
            open++;
        }
    }
    return open;
}

static void reserve_openings(struct worker *worker, size_t count) {
    worker->opening = storage_grow_zeroed(worker->opening, &worker->opening_room, count, sizeof *worker->opening);
}

static void open_rest(struct worker *worker) {
    const struct offer *offer = worker->offer;
    struct search *search = worker->search;
    reserve_openings(worker, offer->chosen_count);
    for (size_t i = 0; i < offer->chosen_count && !search->stopped; i++) {
        if (!worker->reached[i].open)
            continue;
        memcpy(state_there(worker, i), worker->here, search->ranks * sizeof *worker->here);
        moves_open(search, state_there(worker, i), &offer->transition[offer->chosen[i]], &worker->opening[i]);
    }
}

static void close_rest(struct worker *worker) {
    for (size_t i = 0; i < worker->offer->chosen_count && !worker->search->stopped; i++) {
        if (!worker->reached[i].open)
            continue;
        enum move_end end = moves_close(worker, state_there(worker, i), &worker->opening[i]);
        worker->reached[i].kind = kind_reached(end);
    }
}

/* The others: all are opened, so that their steps are wanted, before the first is closed. */
static void take_rest(struct worker *worker) {
    struct search *search = worker->search;
    pthread_mutex_lock(&search->lock);
    open_rest(worker);
    pthread_mutex_unlock(&search->lock);
    ahead_look(worker);
    pthread_mutex_lock(&search->lock);
    close_rest(worker);
    pthread_mutex_unlock(&search->lock);
}

/* Where all chosen transitions of worker->here lead. False: the search is stopped. */
static bool take_chosen(struct worker *worker) {
    struct search *search = worker->search;
    if (take_remembered(worker) && !search->stopped)
        take_rest(worker);
    return !search->stopped;
}

/* The edge to the i-th state reached. */
static struct edge edge_to(const struct worker *worker, size_t i) {
    const struct offer *offer = worker->offer;
    uint32_t via = offer->chosen[i];
    return (struct edge){
        .via = via & VIA_NOTHING, .optional = offer->transition[via].optional, .differs = via != offer->reference};
}

/* Room for the states reached. Among several workers it is there for as many as each is allowed; for more one has to be alone. */
static bool reserve(struct worker *worker, size_t states) {
    struct search *search = worker->search;
    if (!search->sharing) {
        if (state_set_has_room(search->states, states))
            return true;
        pthread_mutex_lock(&search->lock);
        bool made = search_make_room(search, states);
        pthread_mutex_unlock(&search->lock);
        return made;
    }
    if (states <= worker->allowance) {
        worker->allowance -= states;
        return true;
    }
    pthread_mutex_lock(&search->lock);
    search->suspicious = true;
    search_stop(search, SEARCH_FOUND, NULL);
    pthread_mutex_unlock(&search->lock);
    return false;
}

static state_name name_reached(struct worker *worker, uint32_t *state, enum state_kind kind) {
    symmetry_change_used(worker->search, state, kind);
    return state_set_name(worker->search->states, worker->cache, state, kind);
}

/* Takes the chosen transitions. False: the search is stopped; *faulty, if not NULL, becomes true if one led to an error. */
static bool expand(const struct visit *visit, bool *faulty) {
    struct worker *worker = visit->worker;
    if (!reserve(worker, worker->offer->chosen_count) || !take_chosen(worker))
        return false;
    for (size_t i = 0; i < worker->offer->chosen_count; i++)
        worker->reached[i].name = name_reached(worker, state_there(worker, i), worker->reached[i].kind);
    for (size_t i = 0; i < worker->offer->chosen_count; i++) {
        if (faulty && worker->reached[i].kind == STATE_FAULT)
            *faulty = true;
        if (!link_to(visit, worker->reached[i].name, edge_to(worker, i)))
            return false;
    }
    return true;
}

/* Leaves those that were not chosen. */
static void choose_others(struct offer *offer) {
    size_t others = 0, next = 0;
    uint32_t *list = storage_new(offer->count, sizeof *list);
    for (size_t i = 0; i < offer->count; i++) {
        if (next < offer->chosen_count && offer->chosen[next] == i)
            next++;
        else
            list[others++] = (uint32_t)i;
    }
    memcpy(offer->chosen, list, others * sizeof *list);
    offer->chosen_count = others;
    free(list);
}

/* ---- each kind of state ---- */

static void load(struct worker *worker, state_name name) {
    state_set_load(worker->search->states, worker->cache, name, worker->here);
}

/* Has a rank failed before the state that was loaded? */
static bool is_aftermath(const struct worker *worker) {
    return worker->search->failed && search_has_failed(worker->search, worker->here);
}

/* Goes on with a long chain of determined moves from the state that was loaded. False: the search is stopped. */
static bool go_on(struct worker *worker, enum state_kind *kind) {
    struct search *search = worker->search;
    pthread_mutex_lock(&search->lock);
    enum move_end end = moves_determined(worker, worker->here);
    pthread_mutex_unlock(&search->lock);
    *kind = kind_reached(end);
    return end != MOVE_STOPPED;
}

static void visit_unfinished(struct visit *visit) {
    enum state_kind kind;
    struct worker *worker = visit->worker;
    load(worker, visit->name);
    visit->aftermath = is_aftermath(worker);
    if (reserve(worker, 1) && go_on(worker, &kind))
        link_to(visit, name_reached(worker, worker->here, kind), (struct edge){.via = VIA_NOTHING});
}

/* Transitions of ranks that have no part in the chain. */
static void offer_within_chain(struct worker *worker, state_name name) {
    load(worker, name);
    pthread_mutex_lock(&worker->search->lock);
    search_offer_within_chain(worker->search, worker->offer, worker->here);
    pthread_mutex_unlock(&worker->search->lock);
}

/* Does the moves on the last edge to a fault again, to see what it was. */
static void visit_fault(const struct visit *visit) {
    struct worker *worker = visit->worker;
    struct search *search = worker->search;
    if (search->blind) {
        report_glimpse(search);
        return;
    }
    struct track track = search->trail.track[visit->trail];
    state_name from = search->trail.track[track.from].name;
    load(worker, from);
    if (is_aftermath(worker))
        return;
    if (track.edge.via == VIA_NOTHING) {
        moves_determined(worker, worker->here);
    } else {
        if (state_kind(from) == STATE_UNFINISHED)
            search_offer_within_chain(search, worker->offer, worker->here);
        else
            search_list(search, worker->offer, worker->here);
        reserve_openings(worker, 1);
        moves_open(search, worker->here, &worker->offer->transition[track.edge.via], &worker->opening[0]);
        moves_close(worker, worker->here, &worker->opening[0]);
    }
    report_faults(worker, visit->trail);
}

static void report_if_end(const struct visit *visit, bool *ended) {
    struct worker *worker = visit->worker;
    struct search *search = worker->search;
    *ended = search_at_end(search, worker->offer, worker->here);
    if (!*ended && offer_has_promised(worker->offer))
        return;
    pthread_mutex_lock(&search->lock);
    if (*ended)
        report_end(search, worker->here, visit->trail);
    else
        report_deadlock(search, worker->here, visit->trail);
    pthread_mutex_unlock(&search->lock);
}

/* What the other ranks do once one has failed is no part of an ordering. But the reduction puts off what it does not know to
 * matter, so they go on as if that one had only come to a halt: what they do may be what should have come before. */
static void visit_aftermath(struct visit *visit) {
    struct worker *worker = visit->worker;
    struct search *search = worker->search;
    load(worker, visit->name);
    visit->aftermath = search_has_failed(search, worker->here);
    if (!visit->aftermath || search->options.no_reduction || search->options.goal)
        return;
    search->failed = true;
    search_offer(search, worker->offer, worker->here);
    expand(visit, NULL);
}

/* Nothing follows an error, so what the reduction put off until after a state that one follows would be lost. */
static void visit_quiet(struct visit *visit) {
    struct worker *worker = visit->worker;
    struct search *search = worker->search;
    bool ended = false, faulty = false;
    load(worker, visit->name);
    visit->aftermath = is_aftermath(worker);
    search_offer(search, worker->offer, worker->here);
    if (!visit->aftermath)
        report_if_end(visit, &ended);
    if (ended || search->stopped)
        return;
    if (search->options.no_reduction)
        offer_choose_all(worker->offer);
    if (worker->offer->chosen_count < worker->offer->count && !search->reduced)
        search->reduced = true; /* written once only: others read what is beside it */
    if (!expand(visit, &faulty) || !faulty || worker->offer->chosen_count == worker->offer->count)
        return;
    state_set_mark(search->states, visit->name, STATE_COMPLETE);
    choose_others(worker->offer);
    expand(visit, NULL);
}

void search_visit(struct worker *worker, state_name name, uint32_t trail) {
    struct visit visit = {worker, name, trail, false};
    if (!state_set_mark(worker->search->states, name, STATE_EXPANDED))
        return;
    switch (state_kind(name)) {
    case STATE_FAULT:
        pthread_mutex_lock(&worker->search->lock);
        visit_fault(&visit);
        pthread_mutex_unlock(&worker->search->lock);
        if (!worker->search->stopped)
            visit_aftermath(&visit);
        break;
    case STATE_UNFINISHED: visit_unfinished(&visit); break;
    case STATE_QUIET: visit_quiet(&visit); break;
    }
}

void search_complete(struct worker *worker, state_name name, uint32_t trail) {
    struct visit visit = {worker, name, trail, false};
    struct search *search = worker->search;
    if (!state_set_mark(search->states, name, STATE_COMPLETE))
        return;
    if (state_kind(name) == STATE_UNFINISHED) {
        offer_within_chain(worker, name);
    } else {
        load(worker, name);
        search_offer(search, worker->offer, worker->here);
        choose_others(worker->offer);
    }
    visit.aftermath = is_aftermath(worker);
    expand(&visit, NULL);
}

/* ---- looking back ---- */

static void add_successor(struct worker *worker, struct successors *successors, uint32_t *state, enum state_kind kind,
                          bool optional) {
    symmetry_change_used(worker->search, state, kind);
    state_name name = state_set_find(worker->search->states, worker->cache, state, kind);
    if (name == STATE_NONE)
        return; /* the search was stopped before it came there */
    successors->item = storage_grow(successors->item, &successors->room, successors->count + 1, sizeof *successors->item);
    successors->item[successors->count++] = (struct successor){name, optional};
}

static void add_chosen_successors(struct worker *worker, struct successors *successors) {
    if (!take_chosen(worker))
        return;
    for (size_t i = 0; i < worker->offer->chosen_count; i++)
        add_successor(worker, successors, state_there(worker, i), worker->reached[i].kind, edge_to(worker, i).optional);
}

void search_successors(struct worker *worker, state_name name, struct successors *successors) {
    struct search *search = worker->search;
    bool complete = state_set_has_mark(search->states, name, STATE_COMPLETE);
    struct search_statistics counted = worker->counted;
    enum state_kind kind;
    successors->count = 0;
    switch (state_kind(name)) {
    case STATE_FAULT: break;
    case STATE_UNFINISHED:
        load(worker, name);
        if (go_on(worker, &kind))
            add_successor(worker, successors, worker->here, kind, false);
        if (!complete)
            break;
        offer_within_chain(worker, name);
        add_chosen_successors(worker, successors);
        break;
    case STATE_QUIET:
        load(worker, name);
        search_offer(search, worker->offer, worker->here);
        if (complete || search->options.no_reduction)
            offer_choose_all(worker->offer);
        add_chosen_successors(worker, successors);
        break;
    }
    worker->counted = counted; /* they were counted when they were taken first */
}
