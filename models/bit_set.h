/* Sets of numbers as rows of words, whose length the caller knows. */
#ifndef MODELS_BIT_SET_H
#define MODELS_BIT_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool set_has(const uint64_t *set, size_t member) { return set[member / 64] >> (member % 64) & 1; }
static inline void set_add(uint64_t *set, size_t member) { set[member / 64] |= 1ull << (member % 64); }
static inline void set_remove(uint64_t *set, size_t member) { set[member / 64] &= ~(1ull << (member % 64)); }

static inline void set_add_all(uint64_t *set, const uint64_t *other, size_t words) {
    for (size_t i = 0; i < words; i++)
        set[i] |= other[i];
}

static inline bool set_includes(const uint64_t *set, const uint64_t *part, size_t words) {
    for (size_t i = 0; i < words; i++)
        if (part[i] & ~set[i])
            return false;
    return true;
}

#endif
