/* Heap blocks in captured memory, as the allocator's page descriptors show them. */
#ifndef EXPLORER_CAPTURED_HEAP_H
#define EXPLORER_CAPTURED_HEAP_H

#include "explorer/local_states/captured_memory.h"
#include "models/mpi/preload/memory/arena_layout.h"

struct heap_block {
    uint64_t start, size;
};

/* The block that holds `address`; false if that is free. */
bool captured_block_at(const struct captured_memory *memory, uint32_t root, uint64_t address, struct heap_block *block);
/* Calls visit for each block in use that begins in the run of pages whose first page has descriptor number `page`; does nothing if
 * no run begins there. */
void captured_blocks_of(const struct captured_memory *memory, uint32_t root, uint64_t page,
                        void (*visit)(void *context, const struct heap_block *block), void *context);

#endif
