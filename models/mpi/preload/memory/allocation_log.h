/* Which call allocated each living heap block, kept only if the explorer wants to explain local states. The log is no part of a
 * local state, whose name must not depend on it, but goes with it: it is captured beside the state, as a page tree of its own, and
 * restored with it.
 *
 * One word for each 16 bytes of the arena, at the block's start: | 16 bits: bytes of the block not asked for | 48 bits: return
 * address | */
#ifndef MODELS_MPI_PRELOAD_ALLOCATION_LOG_H
#define MODELS_MPI_PRELOAD_ALLOCATION_LOG_H

#include "models/mpi/preload/memory/arena_layout.h"

#include <stdbool.h>
#include <stdint.h>

/* Is there a log? Decided once, by the environment. */
bool allocation_log_kept(void);
/* Notes a block: `at`, its offset in the arena, its bytes, those asked for and by whom. */
void allocation_log_add(size_t at, size_t size, size_t asked, const void *caller);
/* Stores the log of the first `pages` pages of the arena; its root, or BLOCK_NONE or TREE_DAMAGED, as page_tree_update. */
uint32_t allocation_log_capture(uint32_t pages);
/* Makes the log of the first `pages` pages of the arena that of `root`. */
bool allocation_log_load(uint32_t root, uint32_t pages);

#endif
