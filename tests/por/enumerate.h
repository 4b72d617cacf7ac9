/* All orderings of an event system, for what optimal_explore is compared with: every event that is on offer is taken in every state
 * that is met, whatever it has to do with others. Tells of the same ends, each distinct state (bytes and all) once. */
#ifndef TESTS_POR_ENUMERATE_H
#define TESTS_POR_ENUMERATE_H

#include "por/ordering_listener.h"

/* Of the counts only `taken` and `orderings` (distinct last states) are set. False: stopped, or more than 200000 states, or 1000 events in a row. */
bool enumerate_orderings(const struct event_system *system, const void *initial, const struct ordering_listener *listener,
                         struct ordering_counts *counts);

/* The same with states that are merged: each place once. */
bool enumerate_places(const struct event_system *system, const void *initial, const struct ordering_listener *listener,
                      struct ordering_counts *counts);

#endif
