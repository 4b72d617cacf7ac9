/* All orderings of an event system, for what optimal_explore is compared with: every event that is on offer is taken in every state
 * that is met, whatever it has to do with others. Tells of the same ends, each distinct state (bytes and all) once. */
#ifndef TESTS_POR_ENUMERATE_H
#define TESTS_POR_ENUMERATE_H

#include "por/ordering_listener.h"

/* Of the counts only `taken` and `orderings` (distinct last states) are set. False: stopped, or more than 200000 states, or 1000 events in a row. */
explore_orderings enumerate_orderings;

/* The same with states that are merged: each place once. */
explore_orderings enumerate_places;

#endif
