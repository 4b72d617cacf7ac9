/* How many orderings follow each transition, as far as the orderings given so far have shown the graph of states: the number of a
 * state is the sum of its successors', and 1 where nothing follows. A state that an ordering without an end goes through, and one
 * before it, has none. */
#ifndef HEURISTICS_KNOWN_ORDERS_H
#define HEURISTICS_KNOWN_ORDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct known_order_state;

/* A transition that the ordering at hand took. */
struct known_order_edge {
    uint32_t state, position;
};

struct known_orders { /* zero: nothing is known */
    struct known_order_state *state;
    uint32_t *next; /* of all states' transitions: the state that follows, 0: not known */
    double *following;
    struct known_order_edge *path; /* of the ordering at hand */
    uint32_t *slot;                /* a hash table: numbers of states, from 1 */
    size_t states, state_room, nexts, next_room, following_room, length, path_room, slots;
    uint32_t root, at; /* the state met first, and last */
};

/* The next ordering begins. False: the number of all orderings is known, so all have been given. */
bool known_orders_begin(struct known_orders *orders);
/* The ordering at hand meets the state of this name, which offers `count` transitions, one at least: how many orderings follow
 * each, 0 if that is not known. They are valid until the next call. */
const double *known_orders_meet(struct known_orders *orders, uint64_t name, size_t count);
/* It takes one of them. */
void known_orders_take(struct known_orders *orders, size_t position);
/* It comes to its end; not called if it is given up. */
void known_orders_end(struct known_orders *orders);
uint64_t known_orders_memory(const struct known_orders *orders);
void known_orders_free(struct known_orders *orders);

#endif
