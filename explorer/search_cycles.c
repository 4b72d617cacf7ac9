#include "explorer/search_cycles.h"
#include "explorer/search_storage.h"

/* Tarjan's algorithm with a stack of its own. A node's `order` is 0 until it is entered; its `component` is 0 until its
 * component is known. */
struct tarjan {
    const struct graph *graph;
    uint32_t *order, *low, *component;
    uint32_t *open;  /* entered, component not yet known; in order of entry */
    uint32_t *trail; /* from the start node to the current one; each node's progress is in `edge_at` */
    uint32_t *edge_at;
    size_t opened, depth;
    uint32_t next_order, components;
    struct cycle *list;
    size_t cycles, room;
};

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

static void enter(struct tarjan *tarjan, uint32_t node) {
    tarjan->order[node] = tarjan->low[node] = ++tarjan->next_order;
    tarjan->edge_at[tarjan->depth] = 0;
    tarjan->trail[tarjan->depth++] = node;
    tarjan->open[tarjan->opened++] = node;
}

/* Whether the component just closed (its members begin at `members`) has a cycle and no way out. */
static bool is_bottom_cycle(const struct tarjan *tarjan, const uint32_t *members, size_t count) {
    bool inner = false;
    for (size_t i = 0; i < count; i++) {
        const struct edge *edge = graph_edges(tarjan->graph, members[i]);
        for (uint32_t left = graph_node(tarjan->graph, members[i])->edges; left; left--, edge++) {
            if (edge->optional)
                continue;
            if (tarjan->component[edge->target] != tarjan->components)
                return false;
            inner = true;
        }
    }
    return inner;
}

static struct cycle represent(const struct tarjan *tarjan, const uint32_t *members, size_t count) {
    struct cycle best = {members[0], graph_node(tarjan->graph, members[0])->complete};
    for (size_t i = 1; i < count; i++) {
        const struct node *node = graph_node(tarjan->graph, members[i]);
        if (node->complete < best.complete)
            continue;
        if (node->complete > best.complete || node->distance < graph_node(tarjan->graph, best.node)->distance)
            best = (struct cycle){members[i], node->complete};
    }
    return best;
}

static void close_component(struct tarjan *tarjan, uint32_t root) {
    size_t first = tarjan->opened;
    tarjan->components++;
    do
        tarjan->component[tarjan->open[--first]] = tarjan->components;
    while (tarjan->open[first] != root);
    const uint32_t *members = tarjan->open + first;
    size_t count = tarjan->opened - first;
    tarjan->opened = first;
    if (!is_bottom_cycle(tarjan, members, count))
        return;
    tarjan->list = storage_grow(tarjan->list, &tarjan->room, tarjan->cycles + 1, sizeof *tarjan->list);
    tarjan->list[tarjan->cycles++] = represent(tarjan, members, count);
}

static void leave(struct tarjan *tarjan, uint32_t node) {
    if (tarjan->low[node] == tarjan->order[node])
        close_component(tarjan, node);
    tarjan->depth--;
    if (!tarjan->depth)
        return;
    uint32_t before = tarjan->trail[tarjan->depth - 1];
    tarjan->low[before] = smaller(tarjan->low[before], tarjan->low[node]);
}

static void walk_from(struct tarjan *tarjan, uint32_t start) {
    enter(tarjan, start);
    while (tarjan->depth) {
        uint32_t node = tarjan->trail[tarjan->depth - 1], at = tarjan->edge_at[tarjan->depth - 1]++;
        if (at == graph_node(tarjan->graph, node)->edges) {
            leave(tarjan, node);
            continue;
        }
        const struct edge *edge = &graph_edges(tarjan->graph, node)[at];
        if (edge->optional)
            continue;
        if (!tarjan->order[edge->target])
            enter(tarjan, edge->target);
        else if (!tarjan->component[edge->target])
            tarjan->low[node] = smaller(tarjan->low[node], tarjan->order[edge->target]);
    }
}

size_t bottom_cycles(const struct graph *graph, struct cycle **list) {
    size_t nodes = graph_nodes(graph);
    uint32_t *storage = storage_new(nodes * 6, sizeof *storage);
    struct tarjan tarjan = {.graph = graph,
                            .order = storage,
                            .low = storage + nodes,
                            .component = storage + 2 * nodes,
                            .open = storage + 3 * nodes,
                            .trail = storage + 4 * nodes,
                            .edge_at = storage + 5 * nodes};
    for (uint32_t node = 0; node < nodes; node++)
        if (!tarjan.order[node])
            walk_from(&tarjan, node);
    free(storage);
    *list = tarjan.list;
    return tarjan.cycles;
}
