/* What a transition is about, so that it can be recognized in another state and in another ordering: a match is about the messages
 * from its partner to its owner, which come in one order; any other transition only about its owner. */
#ifndef HEURISTICS_EVENT_H
#define HEURISTICS_EVENT_H

#include "models/transition.h"

struct event {
    uint8_t kind;
    bool miss;
    uint16_t owner, partner;
    uint32_t a, b; /* 0 for a match: the model numbers its calls, and another ordering has other numbers */
};

static inline struct event event_of(const struct transition *transition) {
    bool match = transition->owner != transition->partner;
    return (struct event){transition->kind,    transition->miss,          transition->owner,
                          transition->partner, match ? 0 : transition->a, match ? 0 : transition->b};
}

static inline bool event_equal(const struct event *x, const struct event *y) {
    return x->kind == y->kind && x->miss == y->miss && x->owner == y->owner && x->partner == y->partner && x->a == y->a &&
           x->b == y->b;
}

#endif
