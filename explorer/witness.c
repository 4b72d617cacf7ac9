#include "explorer/witness.h"
#include "explorer/search_storage.h"

bool transition_equal(const struct transition *a, const struct transition *b) {
    return a->kind == b->kind && a->owner == b->owner && a->partner == b->partner && a->a == b->a && a->b == b->b;
}

struct decision decision_of(const struct search *search, const uint32_t *state, const struct transition *list,
                            size_t count, size_t choice, bool differs) {
    struct decision decision = {.transition = list[choice],
                                .choice = (uint32_t)choice,
                                .choices = (uint32_t)count,
                                .differs = differs,
                                .local = mpi_model_local(search->model, state[list[choice].owner])};
    mpi_model_tell(search->model, state, &decision.transition, &decision.story);
    return decision;
}

static bool edge_differs(const struct graph *graph, uint32_t from, uint32_t to, uint32_t via) {
    const struct edge *edge = graph_edges(graph, from);
    for (uint32_t left = graph_node(graph, from)->edges; left; left--, edge++)
        if (edge->target == to && edge->via == via)
            return edge->differs;
    return false;
}

/* Adds the decision on the last edge to `node`, if it is one. */
static void add_decision(struct search *search, struct ordering *ordering, uint32_t *state, uint32_t node) {
    const struct node *reached = graph_node(search->graph, node);
    uint32_t parent = reached->parent, via = reached->via;
    if (parent == GRAPH_NONE || via == VIA_NOTHING)
        return;
    memcpy(state, graph_state(search->graph, parent), search->ranks * sizeof *state);
    struct violation violation;
    if (graph_node(search->graph, parent)->kind == NODE_UNFINISHED)
        mpi_model_settle(search->model, state, &violation);
    const struct transition *list;
    size_t count = mpi_model_transitions(search->model, state, &list);
    if (is_decision(&list[via], count))
        ordering->decision[ordering->decisions++] =
            decision_of(search, state, list, count, via, edge_differs(search->graph, parent, node, via));
}

struct ordering ordering_to(struct search *search, uint32_t node) {
    size_t length = 0;
    for (uint32_t at = node; at != GRAPH_NONE; at = graph_node(search->graph, at)->parent)
        length++;
    uint32_t *path = storage_new(length, sizeof *path);
    for (uint32_t at = node, i = 0; at != GRAPH_NONE; at = graph_node(search->graph, at)->parent)
        path[length - ++i] = at;

    struct ordering ordering = {0, storage_new(length, sizeof *ordering.decision)};
    uint32_t *state = storage_new(search->ranks, sizeof *state);
    for (size_t i = 0; i < length; i++)
        add_decision(search, &ordering, state, path[i]);
    free(state);
    free(path);
    return ordering;
}

struct ordering ordering_copy(const struct ordering *ordering) {
    struct ordering copy = {ordering->decisions, storage_new(ordering->decisions, sizeof *copy.decision)};
    if (ordering->decisions)
        memcpy(copy.decision, ordering->decision, ordering->decisions * sizeof *copy.decision);
    return copy;
}
