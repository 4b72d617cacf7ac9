/* The memory of one program's local states in an exploration directory: the blocks (pages, and nodes of the trees that they hang
 * on) under the numbers that they have in the stores. A block is saved when the first tree that needs it is, and never again. */
#ifndef EXPLORER_SAVED_MEMORY_H
#define EXPLORER_SAVED_MEMORY_H

#include "ckpt/block_store.h"
#include "explorer/saved/saved.h"

struct saved_memory;

/* Both stores must outlive it. */
struct saved_memory *saved_memory_create(struct saved *saved, unsigned program, struct block_store *pages,
                                         struct block_store *nodes);
void saved_memory_free(struct saved_memory *memory);

/* Puts the blocks of a resumed exploration into the stores, which must be empty; pages beyond `budget` bytes are spilled, if
 * that is allowed. False: *error is a malloc'd sentence. */
bool saved_memory_restore(struct saved_memory *memory, uint64_t budget, char **error);
/* Are all blocks of the tree there? */
bool saved_memory_holds(struct saved_memory *memory, uint32_t root);
/* Saves the blocks of a tree that are not saved yet; BLOCK_NONE is no tree. False: a block is not what it is named for. */
bool saved_memory_keep(struct saved_memory *memory, uint32_t root);

#endif
