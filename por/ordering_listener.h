/* What those who explore orderings of an event system (por/event_system.h) tell of them. */
#ifndef POR_ORDERING_LISTENER_H
#define POR_ORDERING_LISTENER_H

#include "por/event_system.h"

enum ordering_end {
    ORDERING_QUIET,   /* nothing is on offer */
    ORDERING_FAULT,   /* after the last event: EVENT_FAULT */
    ORDERING_CUT,     /* it is not followed any further: it came to a place where it was, is endless, or too long */
    ORDERING_ROUND,   /* it goes round, and nothing leads out: a state that it comes back to */
    ORDERING_STOPPED, /* after the last event: EVENT_STOPPED */
};

/* An event of the ordering at hand. */
struct ordering_step {
    struct transition transition;
    size_t choices; /* events that were on offer */
};

struct ordering_listener {
    /* Called where an ordering ends. `steps` are from its beginning. False: stop. */
    bool (*ended)(void *context, enum ordering_end end, const void *state, const struct ordering_step *step, size_t steps);
    void *context;
};

struct ordering_counts {
    uint64_t orderings; /* explored to the end */
    uint64_t blocked;   /* begun in vain: all that was on offer had been explored */
    uint64_t cut;
    uint64_t rounds; /* ORDERING_ROUND */
    uint64_t states; /* kept, */
    uint64_t bytes;  /* and the memory that this takes */
    uint64_t taken;  /* events of these */
};

/* Explores orderings of a system from a state, and keeps the counts up to date meanwhile. False: it was stopped. */
typedef bool explore_orderings(const struct event_system *system, const void *initial, const struct ordering_listener *listener,
                               struct ordering_counts *counts);

#endif
