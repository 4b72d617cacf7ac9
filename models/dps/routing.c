#include "models/dps/routing.h"

#include <assert.h>
#include <string.h>

void workers_return(struct free_workers *workers, const uint16_t *thread, unsigned count) {
    assert(workers->count + count <= GRAPH_FLOW_MOST);
    memcpy(workers->thread + workers->count, thread, count * sizeof *thread);
    workers->count += count;
}

static unsigned first_free(struct free_workers *workers) {
    unsigned thread = workers->thread[0];
    workers->count--;
    memmove(workers->thread, workers->thread + 1, workers->count * sizeof *workers->thread);
    workers->thread[workers->count] = 0;
    return thread;
}

static unsigned balance(struct free_workers *workers, unsigned limit, unsigned threads) {
    if (workers->handed_out < limit || workers->count == 0)
        return workers->handed_out++ % threads;
    return first_free(workers);
}

unsigned routing_thread(const struct dps_route *route, unsigned threads, const struct posting *posting) {
    switch (route->by) {
    case DPS_ROUTE_CONSTANT: return route->thread;
    case DPS_ROUTE_ROUND_ROBIN: return (unsigned)posting->number % threads;
    case DPS_ROUTE_CONTENT: return route->content(posting->message, threads);
    case DPS_ROUTE_SAME_THREAD: return posting->thread;
    case DPS_ROUTE_BALANCED: return balance(posting->workers, posting->flow_limit, threads);
    }
    return threads;
}
