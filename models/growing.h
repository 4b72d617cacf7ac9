/* Growing arrays for reduction and strategies. Running out of memory ends the process: the memory budget is there to stop
 * before. */
#ifndef MODELS_GROWING_H
#define MODELS_GROWING_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static inline void *growing_checked(void *memory) {
    if (memory)
        return memory;
    fputs("explore: out of memory\n", stderr);
    exit(2);
}

static inline void *growing_new(size_t bytes) { return growing_checked(calloc(1, bytes)); }

/* `array` with room for at least `needed` items of `bytes` each. */
static inline void *growing_room(void *array, size_t *room, size_t needed, size_t bytes) {
    if (needed <= *room)
        return array;
    *room = needed + needed / 2 + 16;
    return growing_checked(realloc(array, *room * bytes));
}

#endif
