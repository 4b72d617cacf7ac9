/* Orderings in which some events are held back as long as anything else can happen. */
#ifndef HEURISTICS_HELD_BACK_H
#define HEURISTICS_HELD_BACK_H

#include "heuristics/known_events.h"

struct held_back {
    uint32_t *chosen; /* scratch: positions */
    size_t room;
    unsigned misses; /* in a row */
};

void held_back_end(struct held_back *held);
void held_back_new_ordering(struct held_back *held);
/* A position: the default among those transitions that `may_happen` allows. If it allows nothing but misses, a few of those (what
 * is tested for is late, too), and then SIZE_MAX: something held back is next. */
size_t held_back_choose(struct held_back *held, const struct strategy_choice *choice,
                        bool (*may_happen)(const void *context, const struct transition *transition), const void *context);

#endif
