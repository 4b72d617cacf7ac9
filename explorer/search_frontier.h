/* States waiting to be visited, by distance; first in, first out among equals. A state may wait more than once: whoever takes
 * it out compares the distance it waited with and skips it if a better one has been found since. */
#ifndef EXPLORER_SEARCH_FRONTIER_H
#define EXPLORER_SEARCH_FRONTIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frontier;

struct frontier *frontier_create(void);
void frontier_destroy(struct frontier *frontier);
void frontier_push(struct frontier *frontier, uint32_t distance, uint32_t node);
/* False: empty. */
bool frontier_pop(struct frontier *frontier, uint32_t *distance, uint32_t *node);
size_t frontier_waiting(const struct frontier *frontier);
uint64_t frontier_memory(const struct frontier *frontier); /* bytes */

#endif
