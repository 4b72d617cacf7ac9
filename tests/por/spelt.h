/* A toy for reductions: up to 8 events that are spelt out, with what they need, and what excludes them. */
#ifndef TESTS_POR_SPELT_H
#define TESTS_POR_SPELT_H

#include "por/ordering_listener.h"

enum { SPELT_MOST = 8 };

/* Events of a state, which is the set of what they have done. */
struct spelt {
    size_t events;
    uint16_t owner[SPELT_MOST];
    uint8_t does[SPELT_MOST]; /* a number: two that do the same exclude each other, and lead to one state */
    uint8_t needs[SPELT_MOST], excluded_by[SPELT_MOST]; /* sets */
    uint8_t fail;                                       /* likewise */
    struct event_offered list[SPELT_MOST];
};

/* States in which orderings end. */
struct spelt_ends {
    bool in[1 << SPELT_MOST];
};

/* Sets *counts, unless it is NULL. */
struct spelt_ends spelt_ends_of(explore_orderings *explore, struct spelt *spelt, struct ordering_counts *counts);
bool spelt_are_alike(const struct spelt_ends *a, const struct spelt_ends *b);

/* Random events. What they need is done before, by events of lower numbers; what excludes them is of their owner, and excluded by them. */
struct spelt spelt_draw(uint32_t *random);
/* The same, but each does something else, and two that exclude a third one exclude each other. */
struct spelt spelt_draw_rivals(uint32_t *random);

#endif
