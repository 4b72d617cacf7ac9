/* Which thread a message goes to. Internal. */
#ifndef MODELS_DPS_ROUTING_H
#define MODELS_DPS_ROUTING_H

#include "models/dps/graph.h"

/* The threads that have returned results to the merge and may get more, in the order of their return. */
struct free_workers {
    uint32_t handed_out; /* messages routed before any thread had returned one */
    uint32_t count;
    uint16_t thread[GRAPH_FLOW_MOST];
};

/* What a routing function may use. */
struct posting {
    const void *message;
    int32_t number;               /* of the message, at the innermost level of its identifier */
    unsigned thread;              /* that posts */
    unsigned flow_limit;          /* of the operation that posts */
    struct free_workers *workers; /* of the operation that posts */
};

/* A thread from 0 to threads - 1; a value of `threads` or more is the routing function's mistake. */
unsigned routing_thread(const struct dps_route *route, unsigned threads, const struct posting *posting);
/* Does the choice have to be remembered until the message's successor reaches the merge? */
static inline bool routing_balances(const struct dps_route *route) { return route->by == DPS_ROUTE_BALANCED; }

/* Threads that have returned results. There is room for as many as flow control lets be under way. */
void workers_return(struct free_workers *workers, const uint16_t *thread, unsigned count);

#endif
