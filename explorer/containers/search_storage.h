/* Growing arrays for the search. Running out of memory ends the process: the memory budget is there to stop before. */
#ifndef EXPLORER_SEARCH_STORAGE_H
#define EXPLORER_SEARCH_STORAGE_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void *storage_checked(void *memory) {
    if (memory)
        return memory;
    fputs("explore: out of memory\n", stderr);
    exit(2);
}

static inline void *storage_new(size_t count, size_t bytes) { return storage_checked(calloc(count ? count : 1, bytes)); }

/* What one thread writes all the time is kept so many bytes away from what others use all the time: the same for what is one
 * thread's own. */
enum { CACHE_LINE = 64 };
static inline void *storage_new_apart(size_t count, size_t bytes) {
    return storage_checked(calloc(1, count * bytes + CACHE_LINE));
}

static inline void *storage_grow_by(void *array, size_t *capacity, size_t needed, size_t bytes, size_t more) {
    if (needed <= *capacity)
        return array;
    size_t grown = *capacity + more + 16;
    *capacity = grown < needed ? needed : grown;
    return storage_checked(realloc(array, *capacity * bytes));
}

/* `array` with room for at least `needed` items of `bytes` each; grows by half so that little is held in vain. */
static inline void *storage_grow(void *array, size_t *capacity, size_t needed, size_t bytes) {
    return storage_grow_by(array, capacity, needed, bytes, *capacity / 2);
}

/* The same; new items are zero. */
static inline void *storage_grow_zeroed(void *array, size_t *capacity, size_t needed, size_t bytes) {
    const size_t before = *capacity;
    char *grown = storage_grow(array, capacity, needed, bytes);
    if (*capacity > before)
        memset(grown + before * bytes, 0, (*capacity - before) * bytes);
    return grown;
}

/* The same as storage_grow for arrays as large as the graph: one that grows by little does not leap over the memory budget. */
static inline void *storage_grow_large(void *array, size_t *capacity, size_t needed, size_t bytes) {
    return storage_grow_by(array, capacity, needed, bytes, *capacity / 16);
}

#endif
