#include "explorer/graph.h"
#include "explorer/search_storage.h"

#include <assert.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

struct slot {
    uint32_t entry; /* node + 1; 0: free */
    uint32_t hash;
};

struct graph {
    unsigned ranks;
    size_t count, edge_count;
    uint32_t *states;
    struct node *node;
    struct edge *edge;
    struct slot *table;
    size_t state_words, node_room, edge_room, slots; /* capacities */
};

enum { FIRST_SLOTS = 1024 };

struct graph *graph_create(unsigned ranks) {
    struct graph *graph = storage_new(1, sizeof *graph);
    graph->ranks = ranks;
    graph->slots = FIRST_SLOTS;
    graph->table = storage_new(graph->slots, sizeof *graph->table);
    return graph;
}

void graph_destroy(struct graph *graph) {
    if (!graph)
        return;
    free(graph->states);
    free(graph->node);
    free(graph->edge);
    free(graph->table);
    free(graph);
}

size_t graph_nodes(const struct graph *graph) { return graph->count; }

uint64_t graph_memory(const struct graph *graph) {
    return graph->count * (graph->ranks * sizeof *graph->states + sizeof *graph->node) +
           graph->edge_count * sizeof *graph->edge + graph->slots * sizeof *graph->table;
}

struct node *graph_node(const struct graph *graph, uint32_t node) { return &graph->node[node]; }

const uint32_t *graph_state(const struct graph *graph, uint32_t node) {
    return graph->states + (size_t)node * graph->ranks;
}

static uint32_t hash_of(const struct graph *graph, const uint32_t *state, enum node_kind kind) {
    return (uint32_t)XXH3_64bits_withSeed(state, graph->ranks * sizeof *state, kind);
}

/* The slot that holds the state, or the free one where it belongs. */
static struct slot *slot_of(const struct graph *graph, const uint32_t *state, enum node_kind kind, uint32_t hash) {
    for (size_t i = hash;; i++) {
        struct slot *slot = &graph->table[i & (graph->slots - 1)];
        if (!slot->entry)
            return slot;
        uint32_t node = slot->entry - 1;
        if (slot->hash == hash && graph->node[node].kind == kind &&
            !memcmp(graph_state(graph, node), state, graph->ranks * sizeof *state))
            return slot;
    }
}

uint32_t graph_find(const struct graph *graph, const uint32_t *state, enum node_kind kind) {
    return slot_of(graph, state, kind, hash_of(graph, state, kind))->entry - 1;
}

static void grow_table(struct graph *graph) {
    struct slot *old = graph->table;
    size_t old_slots = graph->slots;
    graph->slots *= 2;
    graph->table = storage_new(graph->slots, sizeof *graph->table);
    for (size_t i = 0; i < old_slots; i++) {
        if (!old[i].entry)
            continue;
        size_t at = old[i].hash & (graph->slots - 1);
        while (graph->table[at].entry)
            at = (at + 1) & (graph->slots - 1);
        graph->table[at] = old[i];
    }
    free(old);
}

uint32_t graph_add(struct graph *graph, const uint32_t *state, enum node_kind kind) {
    assert(graph->count < GRAPH_NONE - 1);
    if ((graph->count + 1) * 3 > graph->slots * 2)
        grow_table(graph);
    uint32_t node = (uint32_t)graph->count, hash = hash_of(graph, state, kind);
    struct slot *slot = slot_of(graph, state, kind, hash);
    assert(!slot->entry);
    *slot = (struct slot){node + 1, hash};

    graph->node = storage_grow(graph->node, &graph->node_room, graph->count + 1, sizeof *graph->node);
    graph->states =
        storage_grow(graph->states, &graph->state_words, (graph->count + 1) * graph->ranks, sizeof *graph->states);
    graph->node[node] = (struct node){.parent = GRAPH_NONE, .via = VIA_NOTHING, .distance = UINT32_MAX, .kind = kind};
    memcpy(graph->states + (size_t)node * graph->ranks, state, graph->ranks * sizeof *state);
    graph->count++;
    return node;
}

void graph_begin_edges(struct graph *graph, uint32_t node) {
    struct node *from = &graph->node[node];
    if (from->edges && from->first_edge + from->edges == graph->edge_count)
        graph->edge_count = from->first_edge;
    from->first_edge = graph->edge_count;
    from->edges = 0;
}

void graph_add_edge(struct graph *graph, uint32_t node, struct edge edge) {
    struct node *from = &graph->node[node];
    assert(from->first_edge + from->edges == graph->edge_count);
    graph->edge = storage_grow(graph->edge, &graph->edge_room, graph->edge_count + 1, sizeof *graph->edge);
    graph->edge[graph->edge_count++] = edge;
    from->edges++;
}

const struct edge *graph_edges(const struct graph *graph, uint32_t node) {
    return graph->edge + graph->node[node].first_edge;
}
