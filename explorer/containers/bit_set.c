#include "explorer/containers/bit_set.h"

#include "explorer/containers/memory.h"

#include <stdlib.h>
#include <string.h>

static void grow(struct bit_set *set, size_t words) {
    set->word = memory_resize(set->word, words * sizeof *set->word);
    memset(set->word + set->words, 0, (words - set->words) * sizeof *set->word);
    set->words = words;
}

void bit_set_reserve(struct bit_set *set, uint32_t end) {
    const size_t words = ((size_t)end + 63) / 64;
    if (words > set->words)
        grow(set, words);
}

void bit_set_add(struct bit_set *set, uint32_t number) {
    if (number / 64 >= set->words)
        grow(set, (size_t)number / 32 + 1024);
    set_add(set->word, number);
}

void bit_set_free(struct bit_set *set) {
    free(set->word);
    *set = (struct bit_set){0};
}
