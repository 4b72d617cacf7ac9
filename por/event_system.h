/* What moves in a state, for those who look at whole orderings: events that can be taken, and that are known again by name in other
 * orderings.
 *
 * An event has one owner, and happens once in an ordering. Two events on offer in a state exclude each other if one is no longer on
 * offer after the other; they then have one owner. Otherwise both orders of them lead to states in which the same is on offer, and
 * follows. None is optional: an ordering ends where nothing is on offer. */
#ifndef POR_EVENT_SYSTEM_H
#define POR_EVENT_SYSTEM_H

#include "models/name_table.h"
#include "models/transition.h"

#include <stddef.h>

struct event_offered {
    uint64_t name;
    struct transition transition; /* in this very state */
};

enum event_taken {
    EVENT_TAKEN,
    EVENT_FAULT,   /* an error that nothing follows; the state is then of no use */
    EVENT_ENDLESS, /* likewise: what follows has no end, though nothing is to be chosen */
    EVENT_STOPPED, /* no more can be done at all */
};

struct event_system {
    /* A state is so many bytes that can be copied. */
    size_t state_bytes;
    /* The events on offer, in the order in which they are to be preferred; valid until the next call of either function. */
    size_t (*offered)(void *self, const void *state, const struct event_offered **list);
    enum event_taken (*take)(void *self, void *state, const struct transition *transition);
    /* Two states with one name are alike in all that follows. */
    struct name (*place)(void *self, const void *state);
    /* Changes nothing of what follows, but states with one place are then equal, byte by byte: what was before them makes no
     * difference to the names of what is to come. */
    void (*forget)(void *self, void *state);
    /* The positions, ascending, of events on offer whose owners need not be told from others: a persistent set
     * (por/persistent.h). Valid until the next call of this function. NULL: not known. */
    size_t (*persistent)(void *self, const void *state, const uint32_t **position);
    void *self;
};

#endif
