/* Captured memory made by hand, for tests: two stores, a layout, and states as lists of pages. */
#ifndef TESTS_STATE_FABRICATED_H
#define TESTS_STATE_FABRICATED_H

#include "explorer/local_states/captured_memory.h"

struct fabricated {
    struct memory_layout layout;
    struct captured_memory memory;
    struct block_store *nodes; /* the same as memory.nodes, to write */
};

/* Empty stores and a layout without ranges. Lives until the process ends. */
struct fabricated *fabricated_new(void);
/* Adds a range of `pages` pages at `start`, after those that are there. */
void fabricated_range(struct fabricated *fabricated, uint64_t start, uint32_t pages);
/* The state that differs from `root` in `size` bytes at `address`. */
uint32_t fabricated_write(struct fabricated *fabricated, uint32_t root, uint64_t address, const void *bytes, size_t size);

#endif
