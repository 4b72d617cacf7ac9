#include "explorer/containers/number_set.h"

#include "explorer/containers/memory.h"

#include <stdlib.h>

/* The slot where a number is, or belongs. */
static uint64_t *slot_of(const struct number_set *set, uint64_t number) {
    size_t at = (size_t)(number * 0x9e3779b97f4a7c15u >> 20);
    while (set->slot[at & (set->slots - 1)] && set->slot[at & (set->slots - 1)] != number)
        at++;
    return &set->slot[at & (set->slots - 1)];
}

static void grow(struct number_set *set) {
    struct number_set grown = {.slots = set->slots ? set->slots * 2 : 64, .count = set->count};
    grown.slot = memory_take_zeroed(grown.slots * sizeof *grown.slot);
    for (size_t i = 0; i < set->slots; i++)
        if (set->slot[i])
            *slot_of(&grown, set->slot[i]) = set->slot[i];
    free(set->slot);
    *set = grown;
}

bool number_set_add(struct number_set *set, uint64_t number) {
    if (set->count * 3 >= set->slots * 2)
        grow(set);
    uint64_t *slot = slot_of(set, number);
    if (*slot)
        return false;
    *slot = number;
    set->count++;
    return true;
}

bool number_set_has(const struct number_set *set, uint64_t number) { return set->slots && *slot_of(set, number); }

void number_set_free(struct number_set *set) {
    free(set->slot);
    *set = (struct number_set){0};
}
