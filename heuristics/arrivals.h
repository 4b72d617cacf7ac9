/* Since when each transition of an ordering has been on offer: what was offered first together is one set. */
#ifndef HEURISTICS_ARRIVALS_H
#define HEURISTICS_ARRIVALS_H

#include "heuristics/event.h"

#include <stddef.h>

struct arrival {
    struct event event;
    bool offered;  /* now */
    uint32_t set;  /* number of the set that it came with, from 1 on */
    uint32_t turn; /* its place in a queue of all, ascending */
};

struct arrivals {
    struct arrival *item;
    size_t count, room;
    uint32_t sets, turns;
    uint32_t *of; /* by position in the list looked at last: its item */
    size_t of_room;
};

/* Of type void *, as rules of deviations (heuristics/deviations.h) have them. */
void *arrivals_create(unsigned ranks);
void arrivals_destroy(void *arrivals);
void arrivals_begin(void *arrivals); /* a new ordering */

/* Looks at a state's list: arrivals->of is then filled. */
void arrivals_look(struct arrivals *arrivals, const struct transition *list, size_t count);
/* The transition at this position is taken; the next one that is about the same comes later. */
void arrivals_take(struct arrivals *arrivals, size_t position);
/* The transition at this position goes to the end of the queue. */
void arrivals_put_back(struct arrivals *arrivals, size_t position);

#endif
