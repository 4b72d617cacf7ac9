/* The explored part of the global state graph: states, the best known way to each, and edges.
 *
 *     states    r words each, contiguous:  | 12 7 7 | 12 8 7 | 13 7 9 | ...      state n begins at word n * ranks
 *     nodes     24 bytes each:             parent, transition taken there, distance, edges
 *     edges     8 bytes each:              those of one node are contiguous, e.g. node 1: edges 3..5
 *     table     8 bytes a slot:            (node + 1, 32 bits of the hash), open addressing, at most 2/3 full
 *
 * Limits: 2^32 - 2 nodes, 2^30 - 1 transitions a state.
 */
#ifndef EXPLORER_GRAPH_H
#define EXPLORER_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRAPH_NONE UINT32_MAX
#define VIA_NOTHING ((1u << 30) - 1) /* an edge without a transition: determined moves only */

enum node_kind {
    NODE_QUIET,      /* nothing is determined: decisions are offered, or it is an end */
    NODE_UNFINISHED, /* within a long chain of determined moves */
    NODE_FAULT,      /* an error happened on the way here: nothing follows */
};

struct node {
    uint32_t parent; /* GRAPH_NONE: the root */
    uint32_t via;    /* position in the parent's transitions, or VIA_NOTHING */
    uint32_t distance;
    uint32_t edges;
    uint64_t first_edge : 56;
    uint64_t kind : 2;
    uint64_t visited : 1;  /* its edges are there */
    uint64_t complete : 1; /* all of its transitions are among them */
    uint64_t unused : 4;
};

struct edge {
    uint32_t target;
    uint32_t via : 30;
    uint32_t optional : 1;
    uint32_t differs : 1; /* from what the reference ordering does in that state */
};

struct graph;

struct graph *graph_create(unsigned ranks);
void graph_destroy(struct graph *graph);
size_t graph_nodes(const struct graph *graph);
uint64_t graph_memory(const struct graph *graph); /* bytes in use */

/* The node of a state, GRAPH_NONE if it is not there. Nodes of different kind are never the same. */
uint32_t graph_find(const struct graph *graph, const uint32_t *state, enum node_kind kind);
/* Adds a state that is not there: no parent, distance UINT32_MAX, not visited. */
uint32_t graph_add(struct graph *graph, const uint32_t *state, enum node_kind kind);

/* Valid until the next graph_add. */
struct node *graph_node(const struct graph *graph, uint32_t node);
const uint32_t *graph_state(const struct graph *graph, uint32_t node);

/* Drops the edges of a node; the ones added next, one after the other, are its edges. */
void graph_begin_edges(struct graph *graph, uint32_t node);
void graph_add_edge(struct graph *graph, uint32_t node, struct edge edge);
/* Valid until the next graph_add_edge. */
const struct edge *graph_edges(const struct graph *graph, uint32_t node);

#endif
