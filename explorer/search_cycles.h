/* Where the explored graph goes round for ever: its bottom strongly connected components that have a cycle, with optional
 * edges left out.
 *
 * Two uses. In a component in which no state had all its transitions explored, the reduction may have put a transition off
 * for ever (the ignoring problem): it stays enabled all the way round, so exploring one state completely is enough to take it. And a
 * component that stays closed after that is a livelock: no ordering that enters it ends, unless by something
 * that MPI permits but does not promise. */
#ifndef EXPLORER_SEARCH_CYCLES_H
#define EXPLORER_SEARCH_CYCLES_H

#include "explorer/graph.h"

struct cycle {
    uint32_t node; /* the one with the least distance: of the complete ones if there are any, else of all */
    bool complete;
};

/* Finds them in a graph whose nodes are all visited; *list is the caller's to free. Needs 24 bytes a node meanwhile. */
size_t bottom_cycles(const struct graph *graph, struct cycle **list);

#endif
