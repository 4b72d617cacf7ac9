/* How a graph is kept. Internal. */
#ifndef MODELS_DPS_GRAPH_H
#define MODELS_DPS_GRAPH_H

#include "models/dps/dps.h"

enum { GRAPH_RESULT = -1, GRAPH_NOWHERE = -2, GRAPH_FLOW_MOST = 256 };

struct collection {
    const char *name;
    const struct dps_type *storage_type;
    void (*construct)(void *storage, unsigned thread, unsigned threads);
    unsigned threads;
    int *rank;      /* of each thread */
    void **storage; /* of each thread that lives here, null: elsewhere or not called yet */
};

struct node {
    const struct dps_operation_kind *kind;
    int collection;
    struct dps_route route;
    unsigned successors;
    int *successor;
    unsigned flow_limit, flow_group; /* 0: no flow control */
};

struct loop {
    int first, last;
    bool (*again)(const void *message);
};

struct dps_graph {
    const char *name;
    unsigned collections, nodes, loops, types;
    struct collection *collection;
    struct node *node;
    struct loop *loop;
    const struct dps_type **type;  /* of all messages; their places are their numbers in messages */
    int entry;                     /* the operation that nobody precedes; found by validation */
    const struct dps_type *result; /* what the last one posts, but for what only goes round a loop; likewise */
    struct dps_limits limits;
    int32_t calls;
    bool valid;
    char error[512]; /* the first mistake */
};

/* Keeps the first mistake. */
void graph_fail(struct dps_graph *graph, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One thread on each of so many ranks for each collection that has none. */
void graph_place_rest(struct dps_graph *graph, int ranks);

/* Number of a message type of the graph; UINT32_MAX: of none. */
uint32_t graph_type_number(const struct dps_graph *graph, const struct dps_type *type);

bool kind_takes(const struct dps_operation_kind *kind, const struct dps_type *type);
bool kind_posts(const struct dps_operation_kind *kind, const struct dps_type *type);
static inline bool form_opens(enum dps_form form) { return form == DPS_SPLIT || form == DPS_STREAM; }
static inline bool form_collects(enum dps_form form) { return form == DPS_MERGE || form == DPS_STREAM; }

/* Where a message goes that `node` posts: an operation, or GRAPH_RESULT after the last one. GRAPH_NOWHERE: nobody takes it. */
int graph_next(const struct dps_graph *graph, int node, const struct dps_type *type, const void *message);

#endif
