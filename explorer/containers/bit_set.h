/* A set of small numbers that grows: a row of words (models/bit_set.h), and how many there are. */
#ifndef EXPLORER_BIT_SET_H
#define EXPLORER_BIT_SET_H

#include "models/bit_set.h"

struct bit_set { /* zero: empty */
    uint64_t *word;
    size_t words;
};

static inline bool bit_set_has(const struct bit_set *set, uint32_t number) {
    return number / 64 < set->words && set_has(set->word, number);
}

void bit_set_add(struct bit_set *set, uint32_t number);
/* Makes room for the numbers below `end`, so that there are words for all of them. */
void bit_set_reserve(struct bit_set *set, uint32_t end);
void bit_set_free(struct bit_set *set);

#endif
