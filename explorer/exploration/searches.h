/* What an exploration searches, one thing after the other: its graph, some orderings, each rank alone. */
#ifndef EXPLORER_SEARCHES_H
#define EXPLORER_SEARCHES_H

#include "explorer/exploration/exploration.h"

/* How much of --time is for the graph; what is left if that does not do is for strategies. */
enum { GRAPH_TIME_PERCENT = 85 };

/* For tests, in the environment: so many states, at least 1, are few. Above that, ranks forget what is left in buffers,
 * and may place blocks otherwise. */
#define FEW_STATES_VARIABLE "EXPLORE_FEW_STATES"

/* All orderings first; if most of the time does not do for them, some with what is left. `graph`: what the first did. */
enum search_end searches_run(struct exploration *exploration, struct search_statistics *graph);

#endif
