/* The search proper: a 0-1 Dijkstra over the global state graph. An edge weighs 1 if it differs from what the reference
 * ordering does in its state, so states come in the order of how many decisions lead away from the reference. */
#include "explorer/search_cycles.h"
#include "explorer/search_parts.h"
#include "explorer/search_storage.h"
#include "heuristics/reference_order.h"

#include <assert.h>
#include <time.h>

static const double PROGRESS_SECONDS = 0.1;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
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
    search->graph = graph_create(ranks);
    search->frontier = frontier_create();
    search->persistent = persistent_create(ranks);
    search->here = storage_new(ranks, sizeof *search->here);
    search->chain_start = storage_new(ranks, sizeof *search->chain_start);
    search->late_state = storage_new(ranks, sizeof *search->late_state);
    search->ready = storage_new(ranks, sizeof *search->ready);
    search->end_locals = storage_new(ranks, sizeof *search->end_locals);
    search->started = search->checked = search->reported = now();
    return search;
}

void search_destroy(struct search *search) {
    if (!search)
        return;
    findings_free(search);
    for (size_t i = 0; i < search->opening_room; i++)
        free(search->opening[i].answer);
    free(search->opening);
    free(search->there);
    free(search->here);
    free(search->chain_start);
    free(search->late_state);
    free(search->ready);
    free(search->fault);
    free(search->offer.transition);
    free(search->offer.chosen);
    free(search->trail.decision);
    free(search->end_locals);
    free(search->refusal);
    persistent_destroy(search->persistent);
    frontier_destroy(search->frontier);
    graph_destroy(search->graph);
    free(search);
}

void search_stop(struct search *search, enum search_end end, const char *refusal) {
    if (search->stopped)
        return;
    search->stopped = true;
    search->end = end;
    if (refusal)
        search->refusal = storage_checked(strdup(refusal));
}

static bool over_memory(const struct search *search) {
    return search->options.memory_bytes && search->memory_used &&
           search->memory_used(search->context) >= search->options.memory_bytes;
}

bool search_must_stop(struct search *search) {
    if (search->stopped)
        return true;
    if (search->interrupt && *search->interrupt)
        search_stop(search, SEARCH_INTERRUPTED, NULL);
    double time = now();
    if (time == search->checked)
        return search->stopped;
    search->checked = time; /* once a clock tick, some milliseconds, is often enough for the rest */
    if (search->options.seconds > 0 && time - search->started >= search->options.seconds)
        search_stop(search, SEARCH_TIME, NULL);
    else if (over_memory(search))
        search_stop(search, SEARCH_MEMORY, NULL);
    if (search->progress && time - search->reported >= PROGRESS_SECONDS) {
        search->reported = time;
        search->statistics.frontier = frontier_waiting(search->frontier);
        search->progress(search->context, &search->statistics);
    }
    return search->stopped;
}

void search_initial(struct search *search, uint32_t *state) {
    for (unsigned rank = 0; rank < search->ranks; rank++)
        state[rank] = mpi_model_initial(search->model, search->steps->root(search->steps->self, rank));
}

bool search_at_end(const struct search *search, const uint32_t *state) {
    if (search->offer.count)
        return false;
    for (unsigned rank = 0; rank < search->program_ranks; rank++)
        if (!mpi_model_ended(search->model, state[rank]))
            return false;
    return true;
}

/* ---- what a state offers ---- */

/* The model's view of a state, for the reduction. */
struct influence_view {
    struct mpi_model *model;
    const uint32_t *state;
};

static void influences(void *context, unsigned rank, struct rank_set *set) {
    const struct influence_view *view = context;
    mpi_model_influences(view->model, view->state, rank, set);
}

static void list_transitions(struct search *search, const uint32_t *state) {
    struct offer *offer = &search->offer;
    const struct transition *list;
    offer->count = mpi_model_transitions(search->model, state, &list);
    offer->transition = storage_grow(offer->transition, &offer->room, offer->count, sizeof *list);
    offer->chosen = storage_grow(offer->chosen, &offer->chosen_room, offer->count, sizeof *offer->chosen);
    if (offer->count)
        memcpy(offer->transition, list, offer->count * sizeof *list);
}

bool offer_has_promised(const struct offer *offer) {
    for (size_t i = 0; i < offer->count; i++)
        if (!offer->transition[i].optional)
            return true;
    return false;
}

static void choose_all(struct offer *offer) {
    for (size_t i = 0; i < offer->count; i++)
        offer->chosen[i] = (uint32_t)i;
    offer->chosen_count = offer->count;
}

void search_offer(struct search *search, const uint32_t *state) {
    struct offer *offer = &search->offer;
    struct influence_view view = {search->model, state};
    list_transitions(search, state);
    if (offer_has_promised(offer))
        offer->chosen_count =
            persistent_select(search->persistent, offer->transition, offer->count, influences, &view, offer->chosen);
    else
        choose_all(offer);
    offer->reference = reference_default(offer->transition, offer->chosen, offer->chosen_count);
}

void search_offer_within_chain(struct search *search, uint32_t *state) {
    struct offer *offer = &search->offer;
    struct violation violation;
    offer->count = offer->chosen_count = 0;
    offer->reference = REFERENCE_NONE;
    if (!mpi_model_settle(search->model, state, &violation))
        return; /* the chain itself will run into it */
    list_transitions(search, state);
    for (size_t i = 0; i < offer->count; i++)
        if (!mpi_model_ready(search->model, state, offer->transition[i].owner))
            offer->chosen[offer->chosen_count++] = (uint32_t)i;
}

/* ---- edges ---- */

static enum node_kind kind_reached(enum move_end end) {
    switch (end) {
    case MOVE_UNFINISHED:
        return NODE_UNFINISHED;
    case MOVE_FAULT:
        return NODE_FAULT;
    default:
        return NODE_QUIET;
    }
}

/* The node of a state, GRAPH_NONE if it is new and the budget does not allow for it. */
static uint32_t intern(struct search *search, const uint32_t *state, enum node_kind kind) {
    uint32_t node = graph_find(search->graph, state, kind);
    if (node != GRAPH_NONE)
        return node;
    if (search->options.states && graph_nodes(search->graph) > search->options.states) { /* the root is not counted */
        search_stop(search, SEARCH_STATES, NULL);
        return GRAPH_NONE;
    }
    if (kind != NODE_UNFINISHED)
        search->statistics.states++;
    return graph_add(search->graph, state, kind);
}

/* Notes that `edge` leads from `from` to its target, and queues the target if this is the best way so far. */
static void relax(struct search *search, uint32_t from, struct edge edge) {
    uint32_t distance = graph_node(search->graph, from)->distance + edge.differs;
    struct node *target = graph_node(search->graph, edge.target);
    if (distance >= target->distance)
        return;
    target->distance = distance;
    target->parent = from;
    target->via = edge.via;
    frontier_push(search->frontier, distance, edge.target);
}

static bool link_to(struct search *search, uint32_t from, const uint32_t *state, enum move_end end, struct edge edge) {
    if (end == MOVE_STOPPED)
        return false;
    edge.target = intern(search, state, kind_reached(end));
    if (edge.target == GRAPH_NONE)
        return false;
    graph_add_edge(search->graph, from, edge);
    search->statistics.transitions++;
    relax(search, from, edge);
    return true;
}

static bool leads_to_fault(const struct graph *graph, uint32_t node) {
    const struct edge *edge = graph_edges(graph, node);
    for (uint32_t left = graph_node(graph, node)->edges; left; left--, edge++)
        if (graph_node(graph, edge->target)->kind == NODE_FAULT)
            return true;
    return false;
}

static void reserve_openings(struct search *search) {
    size_t old = search->opening_room;
    search->there = storage_grow(search->there, &search->there_room, search->offer.chosen_count * search->ranks,
                                 sizeof *search->there);
    search->opening =
        storage_grow(search->opening, &search->opening_room, search->offer.chosen_count, sizeof *search->opening);
    if (search->opening_room > old)
        memset(search->opening + old, 0, (search->opening_room - old) * sizeof *search->opening);
}

/* Takes every chosen transition of search->here, which is the state of `node` settled. */
static void take_chosen(struct search *search, uint32_t node) {
    const struct offer *offer = &search->offer;
    reserve_openings(search);
    for (size_t i = 0; i < offer->chosen_count; i++) {
        uint32_t *state = search->there + i * search->ranks;
        memcpy(state, search->here, search->ranks * sizeof *state);
        moves_open(search, state, &offer->transition[offer->chosen[i]], &search->opening[i]);
    }
    for (size_t i = 0; i < offer->chosen_count && !search->stopped; i++) {
        uint32_t *state = search->there + i * search->ranks, via = offer->chosen[i];
        struct edge edge = {.via = via,
                            .optional = offer->transition[via].optional,
                            .differs = via != offer->reference};
        link_to(search, node, state, moves_close(search, state, &search->opening[i]), edge);
    }
}

static void load(struct search *search, uint32_t node) {
    memcpy(search->here, graph_state(search->graph, node), search->ranks * sizeof *search->here);
}

static void begin_edges(struct search *search, uint32_t node) {
    search->statistics.transitions -= graph_node(search->graph, node)->edges;
    graph_begin_edges(search->graph, node);
}

/* Goes on with a long chain of determined moves; `completely`: also takes the transitions of ranks that have no part in it. */
static void expand_unfinished(struct search *search, uint32_t node, bool completely) {
    begin_edges(search, node);
    load(search, node);
    enum move_end end = moves_determined(search, search->here);
    if (!link_to(search, node, search->here, end, (struct edge){.via = VIA_NOTHING}) || !completely)
        return;
    load(search, node);
    search_offer_within_chain(search, search->here);
    take_chosen(search, node);
    graph_node(search->graph, node)->complete = true;
}

/* Takes transitions of a quiet state, which search->here and search->offer hold: those that the reduction asks for, or
 * all. The default stays the same. */
static void expand_quiet(struct search *search, uint32_t node, bool completely) {
    begin_edges(search, node);
    if (completely || search->options.no_reduction)
        choose_all(&search->offer);
    take_chosen(search, node);
    graph_node(search->graph, node)->complete = search->offer.chosen_count == search->offer.count;
}

static void expand_completely(struct search *search, uint32_t node) {
    if (graph_node(search->graph, node)->kind == NODE_UNFINISHED) {
        expand_unfinished(search, node, true);
        return;
    }
    load(search, node);
    search_offer(search, search->here);
    expand_quiet(search, node, true);
}

/* ---- visiting ---- */

/* Does the moves on the last edge to a fault again, to see what it was. */
static void visit_fault(struct search *search, uint32_t node) {
    uint32_t parent = graph_node(search->graph, node)->parent, via = graph_node(search->graph, node)->via;
    load(search, parent);
    if (via == VIA_NOTHING) {
        moves_determined(search, search->here);
    } else {
        if (graph_node(search->graph, parent)->kind == NODE_UNFINISHED)
            search_offer_within_chain(search, search->here);
        else
            list_transitions(search, search->here);
        search->offer.chosen_count = 1;
        reserve_openings(search);
        moves_open(search, search->here, &search->offer.transition[via], &search->opening[0]);
        moves_close(search, search->here, &search->opening[0]);
    }
    report_faults(search, node);
}

static void visit_quiet(struct search *search, uint32_t node) {
    load(search, node);
    search_offer(search, search->here);
    if (search_at_end(search, search->here)) {
        report_end(search, search->here, node);
        return;
    }
    if (!offer_has_promised(&search->offer))
        report_deadlock(search, search->here, node);
    if (search->stopped)
        return;
    expand_quiet(search, node, false);
    /* Nothing follows an error, so what the reduction put off until after this state would be lost in that direction. */
    if (!search->stopped && search->options.keep_going && !graph_node(search->graph, node)->complete &&
        leads_to_fault(search->graph, node))
        expand_quiet(search, node, true);
}

/* A better way to a state visited before: the ways on get better too. */
static void relax_again(struct search *search, uint32_t node) {
    for (uint32_t i = 0; i < graph_node(search->graph, node)->edges; i++)
        relax(search, node, graph_edges(search->graph, node)[i]);
}

static void visit(struct search *search, uint32_t node) {
    struct node *at = graph_node(search->graph, node);
    if (at->visited) {
        relax_again(search, node);
        return;
    }
    at->visited = true;
    if (at->kind == NODE_FAULT)
        visit_fault(search, node);
    else if (at->kind == NODE_UNFINISHED)
        expand_unfinished(search, node, false);
    else
        visit_quiet(search, node);
}

static void drain(struct search *search) {
    uint32_t distance, node;
    while (!search_must_stop(search) && frontier_pop(search->frontier, &distance, &node))
        if (graph_node(search->graph, node)->distance == distance)
            visit(search, node);
}

/* ---- cycles ---- */

static int compare_cycles(const void *a, const void *b) {
    const struct cycle *x = a, *y = b;
    return (x->node > y->node) - (x->node < y->node);
}

static void report_cycle(struct search *search, uint32_t node) {
    load(search, node);
    if (graph_node(search->graph, node)->kind == NODE_UNFINISHED)
        search_offer_within_chain(search, search->here);
    else
        search_offer(search, search->here);
    report_livelock(search, search->here, node);
}

/* Deals with the cycles that have no way out: one state of each is explored completely, and if it was before, the cycle is a
 * livelock. True if the search has to go on. */
static bool open_cycles(struct search *search) {
    struct cycle *cycle;
    size_t cycles = bottom_cycles(search->graph, &cycle), opened = 0;
    if (cycles)
        qsort(cycle, cycles, sizeof *cycle, compare_cycles);
    for (size_t i = 0; i < cycles && !search->stopped; i++) {
        if (cycle[i].complete)
            continue;
        expand_completely(search, cycle[i].node);
        opened++;
    }
    for (size_t i = 0; i < cycles && !search->stopped && !opened; i++)
        report_cycle(search, cycle[i].node);
    free(cycle);
    return opened && !search->stopped;
}

enum search_end search_run(struct search *search) {
    search_initial(search, search->here);
    uint32_t root = graph_add(search->graph, search->here, NODE_UNFINISHED);
    graph_node(search->graph, root)->distance = 0;
    frontier_push(search->frontier, 0, root);
    do
        drain(search);
    while (!search->stopped && open_cycles(search));
    search->statistics.frontier = frontier_waiting(search->frontier);
    return search->stopped ? search->end : SEARCH_COMPLETE;
}

/* ---- results ---- */

size_t search_findings(const struct search *search, const struct finding **list) {
    *list = search->finding;
    return search->findings;
}

const struct search_statistics *search_statistics(const struct search *search) { return &search->statistics; }

int search_agents_wanted(const struct search *search) { return search->agents_wanted; }

const char *search_refusal(const struct search *search) { return search->refusal; }

uint64_t search_memory(const struct search *search) {
    return graph_memory(search->graph) + frontier_memory(search->frontier);
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
