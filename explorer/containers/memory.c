#include "explorer/containers/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *check(void *block, size_t bytes) {
    if (block || bytes == 0)
        return block;
    fprintf(stderr, "explore: out of memory\n");
    exit(3);
}

void *memory_take(size_t bytes) { return check(malloc(bytes), bytes); }
void *memory_take_zeroed(size_t bytes) { return check(calloc(1, bytes), bytes); }
void *memory_resize(void *block, size_t bytes) { return check(realloc(block, bytes), bytes); }

void *memory_copy(const void *from, size_t bytes) {
    void *copy = memory_take(bytes);
    if (bytes)
        memcpy(copy, from, bytes);
    return copy;
}

void *memory_room(void *array, size_t *capacity, size_t used, size_t size) {
    if (used < *capacity)
        return array;
    *capacity = *capacity ? *capacity * 2 : 64;
    return memory_resize(array, *capacity * size);
}
