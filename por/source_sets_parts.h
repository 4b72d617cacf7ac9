/* What the parts of source_sets share; nobody else includes this.
 *
 *     source_sets.c    visits states, one way after another
 *     source_walk.c    walks over what follows an event, and its shadow
 */
#ifndef POR_SOURCE_SETS_PARTS_H
#define POR_SOURCE_SETS_PARTS_H

#include "models/name_table.h"
#include "por/event_names.h"
#include "por/source_sets.h"

/* What is known of an event on offer. */
enum event_mark {
    EVENT_SUFFICES = 1, /* of the persistent set */
    EVENT_CHOSEN = 2,   /* of the source set */
    EVENT_EXPLORED = 4, /* and all that follows */
    EVENT_REVERSED = 8, /* and its races have been looked for */
};

/* A state of the way at hand. */
struct source_state {
    void *state;
    uint32_t number;
    struct event_offered *offered;
    uint8_t *mark; /* of each */
    size_t count, offered_room, mark_room;
    size_t sufficing, chosen; /* so many are */
    uint32_t lowest;          /* number of an open state that this one is known to lead to; its own: to none before it */
    bool circles;             /* it is on a circle, */
    bool round;               /* or leads to one */
    bool exits;               /* something leads out of all circles that it is on */
};

/* A state that was visited: the positions of the events taken, in `taken`. Open until all that follows is explored, whatever circles
 * lead from there to it. */
struct source_visited {
    size_t first;
    uint32_t count;
    bool done, round;
};

struct source_walk;

struct source_sets {
    struct event_taker taker;
    const struct ordering_listener *listener;
    struct ordering_counts *counts;
    struct name_table places; /* numbers of `visited` */
    struct source_visited *visited;
    size_t visited_room;
    uint32_t *taken; /* positions, of one state behind those of another */
    size_t takens, taken_room;
    uint32_t *open; /* in the order of their numbers */
    size_t opens, open_room;
    struct source_state *at;    /* the way: states, */
    struct ordering_step *step; /* and what was taken in each */
    size_t depth, states, state_room, step_room;
    struct source_walk *walk;
};

/* The event is to be taken, too. */
static inline void source_choose(struct source_state *at, size_t position) {
    at->chosen += !(at->mark[position] & EVENT_CHOSEN);
    at->mark[position] |= EVENT_CHOSEN;
}

static inline void source_choose_sufficing(struct source_state *at) {
    for (size_t i = 0; i < at->count; i++)
        if (at->mark[i] & EVENT_SUFFICES)
            source_choose(at, i);
}

/* source_walk.c. Looks for the races of an event of the state at hand, all that follows which is explored and has no circles, and
 * chooses what they ask for. */
void source_reverse_races(struct source_sets *sets, size_t position);
struct source_walk *source_walk_create(const struct event_system *system);
void source_walk_destroy(struct source_walk *walk);

#endif
