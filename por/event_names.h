/* What reductions that look at whole orderings do with events of a state (por/event_system.h): find them, and take some of them by
 * name from a copy of it. */
#ifndef POR_EVENT_NAMES_H
#define POR_EVENT_NAMES_H

#include "por/event_system.h"

/* Names of events: a sequence, or a set. Begins as zeros; `name` is the owner's to free. */
struct event_names {
    uint64_t *name;
    size_t count, room;
};

bool event_names_has(const struct event_names *names, uint64_t name);
void event_names_add(struct event_names *names, uint64_t name);
void event_names_copy(struct event_names *to, const struct event_names *from);
/* All that are called so. */
void event_names_take_out(struct event_names *names, uint64_t name);

/* The event called so among `count`, or NULL. */
const struct event_offered *event_find(const struct event_offered *list, size_t count, uint64_t name);

/* Who takes events by name, from copies of states. */
struct event_taker {
    const struct event_system *system;
    bool stopped; /* EVENT_STOPPED */
};

void event_copy_state(const struct event_taker *taker, void *to, const void *from);
/* Copies what is on offer in a state into *list, which has room for *room. Returns how many events. */
size_t event_list(const struct event_taker *taker, const void *state, struct event_offered **list, size_t *room);
bool event_is_offered(const struct event_taker *taker, const void *state, uint64_t name);
/* Takes an event if it is on offer and breaks nothing. False: the state is of no use. */
bool event_take(struct event_taker *taker, void *state, uint64_t name);

#endif
