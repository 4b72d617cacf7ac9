#include "models/dps/graph.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* A list with room for one more. */
static void *grown(void *list, unsigned count, size_t size) {
    void *larger = reallocarray(list, count + 1, size);
    if (!larger)
        abort();
    memset((char *)larger + count * size, 0, size);
    return larger;
}

void graph_fail(struct dps_graph *graph, const char *format, ...) {
    if (graph->error[0])
        return;
    int used = snprintf(graph->error, sizeof graph->error, "graph \"%s\": ", graph->name);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(graph->error + used, sizeof graph->error - (size_t)used, format, arguments);
    va_end(arguments);
}

struct dps_graph *dps_graph_create(const char *name) {
    struct dps_graph *graph = calloc(1, sizeof *graph);
    if (!graph)
        abort();
    graph->name = name;
    return graph;
}

static void free_collection(struct collection *collection) {
    for (unsigned i = 0; i < collection->threads; i++) {
        if (collection->storage[i])
            dps_release(collection->storage_type, collection->storage[i]);
        free(collection->storage[i]);
    }
    free(collection->storage);
    free(collection->rank);
}

void dps_graph_destroy(struct dps_graph *graph) {
    if (!graph)
        return;
    for (unsigned i = 0; i < graph->collections; i++)
        free_collection(&graph->collection[i]);
    for (unsigned i = 0; i < graph->nodes; i++)
        free(graph->node[i].successor);
    free(graph->collection);
    free(graph->node);
    free(graph->loop);
    free(graph->type);
    free(graph);
}

static struct collection *collection_of(struct dps_graph *graph, dps_threads threads) {
    if (threads.number >= 0 && (unsigned)threads.number < graph->collections)
        return &graph->collection[threads.number];
    graph_fail(graph, "there is no thread collection %d", threads.number);
    return NULL;
}

static struct node *node_of(struct dps_graph *graph, dps_node node) {
    if (node.number >= 0 && (unsigned)node.number < graph->nodes)
        return &graph->node[node.number];
    graph_fail(graph, "there is no operation %d", node.number);
    return NULL;
}

dps_threads dps_collection(struct dps_graph *graph, const char *name, const struct dps_type *storage,
                           void (*construct)(void *storage, unsigned thread, unsigned threads)) {
    graph->collection = grown(graph->collection, graph->collections, sizeof *graph->collection);
    graph->collection[graph->collections] = (struct collection){.name = name, .storage_type = storage, .construct = construct};
    return (dps_threads){(int)graph->collections++};
}

void dps_place(struct dps_graph *graph, dps_threads threads, int rank) {
    struct collection *collection = collection_of(graph, threads);
    if (!collection)
        return;
    if (collection->threads == UINT16_MAX) {
        graph_fail(graph, "thread collection \"%s\" has too many threads", collection->name);
        return;
    }
    collection->rank = grown(collection->rank, collection->threads, sizeof *collection->rank);
    collection->storage = grown(collection->storage, collection->threads, sizeof *collection->storage);
    collection->rank[collection->threads++] = rank;
}

void graph_place_rest(struct dps_graph *graph, int ranks) {
    for (int i = 0; i < (int)graph->collections; i++) {
        if (graph->collection[i].threads)
            continue;
        for (int rank = 0; rank < ranks; rank++)
            dps_place(graph, (dps_threads){i}, rank);
        graph->valid = false;
    }
}

void *dps_storage_of(const struct dps_graph *graph, dps_threads threads, unsigned thread) {
    if (threads.number < 0 || (unsigned)threads.number >= graph->collections)
        return NULL;
    const struct collection *collection = &graph->collection[threads.number];
    return thread < collection->threads ? collection->storage[thread] : NULL;
}

uint32_t graph_type_number(const struct dps_graph *graph, const struct dps_type *type) {
    for (uint32_t i = 0; i < graph->types; i++)
        if (graph->type[i] == type)
            return i;
    return UINT32_MAX;
}

static void add_types(struct dps_graph *graph, const struct dps_type *const *list) {
    for (unsigned i = 0; i < DPS_TYPES_MOST && list[i]; i++) {
        if (graph_type_number(graph, list[i]) != UINT32_MAX)
            continue;
        graph->type = grown(graph->type, graph->types, sizeof(const struct dps_type *));
        graph->type[graph->types++] = list[i];
    }
}

dps_node dps_add(struct dps_graph *graph, const struct dps_operation_kind *kind, dps_threads threads, struct dps_route route) {
    if (!collection_of(graph, threads))
        return (dps_node){-1};
    if (graph->nodes == UINT16_MAX) {
        graph_fail(graph, "there are too many operations");
        return (dps_node){-1};
    }
    graph->node = grown(graph->node, graph->nodes, sizeof *graph->node);
    graph->node[graph->nodes] = (struct node){.kind = kind, .collection = threads.number, .route = route};
    add_types(graph, kind->inputs);
    add_types(graph, kind->outputs);
    graph->valid = false;
    return (dps_node){(int)graph->nodes++};
}

void dps_connect(struct dps_graph *graph, dps_node from, dps_node to) {
    struct node *node = node_of(graph, from);
    if (!node || !node_of(graph, to))
        return;
    node->successor = grown(node->successor, node->successors, sizeof *node->successor);
    node->successor[node->successors++] = to.number;
    graph->valid = false;
}

void dps_connect_all(struct dps_graph *graph, const dps_node *node, size_t count) {
    for (size_t i = 1; i < count; i++)
        dps_connect(graph, node[i - 1], node[i]);
}

void dps_loop(struct dps_graph *graph, dps_node first, dps_node last, bool (*again)(const void *message)) {
    if (!node_of(graph, first) || !node_of(graph, last))
        return;
    graph->loop = grown(graph->loop, graph->loops, sizeof *graph->loop);
    graph->loop[graph->loops++] = (struct loop){first.number, last.number, again};
    graph->valid = false;
}

void dps_flow_control(struct dps_graph *graph, dps_node node, unsigned limit, unsigned group) {
    struct node *controlled = node_of(graph, node);
    if (!controlled)
        return;
    if (!form_opens(controlled->kind->form))
        graph_fail(graph, "%s is no split and no stream: it has no flow to control", controlled->kind->name);
    if (group < 1 || group > limit || limit > GRAPH_FLOW_MOST)
        graph_fail(graph, "flow control of %s: 1 <= group (%u) <= limit (%u) <= %d must hold", controlled->kind->name, group,
                   limit, GRAPH_FLOW_MOST);
    controlled->flow_limit = limit;
    controlled->flow_group = group;
    graph->valid = false;
}

void dps_set_limits(struct dps_graph *graph, struct dps_limits limits) { graph->limits = limits; }

static bool listed(const struct dps_type *const *list, const struct dps_type *type) {
    for (unsigned i = 0; i < DPS_TYPES_MOST && list[i]; i++)
        if (list[i] == type)
            return true;
    return false;
}

bool kind_takes(const struct dps_operation_kind *kind, const struct dps_type *type) { return listed(kind->inputs, type); }
bool kind_posts(const struct dps_operation_kind *kind, const struct dps_type *type) { return listed(kind->outputs, type); }

int graph_next(const struct dps_graph *graph, int node, const struct dps_type *type, const void *message) {
    for (unsigned i = 0; i < graph->loops; i++) {
        const struct loop *loop = &graph->loop[i];
        if (loop->last == node && kind_takes(graph->node[loop->first].kind, type) && loop->again(message))
            return loop->first;
    }
    const struct node *from = &graph->node[node];
    for (unsigned i = 0; i < from->successors; i++)
        if (kind_takes(graph->node[from->successor[i]].kind, type))
            return from->successor[i];
    return from->successors || type != graph->result ? GRAPH_NOWHERE : GRAPH_RESULT;
}
