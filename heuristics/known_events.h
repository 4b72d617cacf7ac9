/* The messages, and other events, that were offered in the orderings so far. The n-th of several equal ones is the same in all
 * orderings. Of each it is known what came before it in the ordering that first had it, and was its cause: what its partner had got
 * until then. */
#ifndef HEURISTICS_KNOWN_EVENTS_H
#define HEURISTICS_KNOWN_EVENTS_H

#include "heuristics/event.h"
#include "heuristics/strategy.h"

#define NO_EVENT UINT32_MAX

struct known_event {
    struct event event;
    bool taken;      /* in some ordering */
    uint32_t before; /* the last one before it of the same owner, or NO_EVENT */
    uint32_t cause;  /* the last one before it whose owner is its partner, or NO_EVENT */
};

struct known_events {
    struct known_event *item; /* misses are not among them */
    size_t count, room;
    uint8_t *happened; /* by number: in the ordering at hand */
    size_t happened_room;
    uint32_t *last; /* in the ordering at hand, by rank: the last one that it owned */
    unsigned ranks;
};

void known_events_begin(struct known_events *events, unsigned ranks);
void known_events_end(struct known_events *events);
void known_events_new_ordering(struct known_events *events);
/* The number of the event that taking the transition would be; NO_EVENT if it is not known, or a miss. */
uint32_t known_events_find(const struct known_events *events, const struct transition *transition);
/* A state offers these: those that are new become known. To be called at each state, before the others. */
void known_events_look(struct known_events *events, const struct transition *list, size_t count);
/* The transition, one of those, is taken. */
void known_events_take(struct known_events *events, const struct transition *transition);
uint64_t known_events_memory(const struct known_events *events);

#endif
