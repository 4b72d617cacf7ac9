/* Wakeup trees (Abdulla, Aronis, Jonsson, Sagonas: Source Sets, Journal of the ACM 64, 2017): beginnings of orderings that are still
 * to be explored from a state, as a tree of the names of events. Children are in the order in which they were added. */
#ifndef POR_WAKEUP_TREE_H
#define POR_WAKEUP_TREE_H

#include <stddef.h>
#include <stdint.h>

struct wakeup {
    uint64_t name;
    struct wakeup *first, *next; /* its first child; the next one of its parent */
};

/* Adds a chain of these names at the end of the children. */
void wakeup_append(struct wakeup **children, const uint64_t *name, size_t count);
/* Takes the first child out, if there is one: returns what comes after it, which is the caller's, and its name. */
struct wakeup *wakeup_take(struct wakeup **children, uint64_t *name);
void wakeup_free(struct wakeup *children);

#endif
