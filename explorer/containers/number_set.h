/* A set of numbers other than 0. */
#ifndef EXPLORER_NUMBER_SET_H
#define EXPLORER_NUMBER_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct number_set { /* zero: empty */
    uint64_t *slot;
    size_t slots, count; /* slots: a power of two */
};

/* False: it was there. */
bool number_set_add(struct number_set *set, uint64_t number);
bool number_set_has(const struct number_set *set, uint64_t number);
void number_set_free(struct number_set *set);
static inline uint64_t number_set_memory(const struct number_set *set) { return set->slots * sizeof *set->slot; }

#endif
