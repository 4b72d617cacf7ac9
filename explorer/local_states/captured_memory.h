/* Reads the memory of captured local states. A state is named by the root of its page tree; addresses are the program's. Needs no
 * process. */
#ifndef EXPLORER_CAPTURED_MEMORY_H
#define EXPLORER_CAPTURED_MEMORY_H

#include "ckpt/memory_layout.h"
#include "ckpt/page_tree.h"

/* A local state's memory. */
struct captured_state {
    uint32_t root;
    uint32_t log; /* its allocation log, as a page tree; BLOCK_NONE: none was kept */
};

struct captured_memory {
    const struct memory_layout *layout;
    struct block_store *pages; /* must keep content */
    const struct block_store *nodes;
};

/* False: what the program's process has published makes no sense. */
bool captured_layout_valid(const struct memory_layout *layout);

/* False if any of the bytes is in no local state. */
bool captured_read(const struct captured_memory *memory, uint32_t root, uint64_t address, void *to, size_t size);
/* Which call allocated the heap block at `block`: its return address, and the bytes of the block that were not asked for. False:
 * not known. */
bool captured_allocation(const struct captured_memory *memory, uint32_t log, uint64_t block, uint64_t *site, uint64_t *spare);
/* False: a page tree of the state was written over, so that nothing of it can be read. To be asked before anything else. */
bool captured_intact(const struct captured_memory *memory, const struct captured_state *state);
/* The address of page `index`. */
uint64_t captured_address(const struct captured_memory *memory, uint32_t index);

/* The same `size` bytes in two states, at addresses that may differ. */
struct captured_pair {
    uint32_t root[2];
    uint64_t address[2];
    uint64_t size;
};
/* Moves *offset to the next byte from there on in which the two differ; false if there is none. */
bool captured_next_difference(const struct captured_memory *memory, const struct captured_pair *pair, uint64_t *offset);

#endif
