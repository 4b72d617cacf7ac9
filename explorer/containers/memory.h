/* The explorer's own allocations: they succeed or end the process with one sentence (exit 3), so that no caller has to
 * check. The ranks' processes die with the explorer. */
#ifndef EXPLORER_MEMORY_H
#define EXPLORER_MEMORY_H

#include <stddef.h>

void *memory_take(size_t bytes); /* not zeroed */
void *memory_take_zeroed(size_t bytes);
void *memory_resize(void *block, size_t bytes);
void *memory_copy(const void *from, size_t bytes);
/* Room for one more element in an array that doubles: `*capacity` elements of `size` bytes, `used` of them filled. */
void *memory_room(void *array, size_t *capacity, size_t used, size_t size);

#endif
