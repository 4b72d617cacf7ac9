/* A content-addressed store of fixed-size blocks in shared memory: each distinct content is kept once and named by a small
 * number. Used by several processes at once without locks; a process that dies at any point leaks at most one block.
 *
 * Layout of the region (drawn for pages, 4096 bytes):
 *
 *     constants: 4096 bytes | counters | bucket heads: 2^20 x u32 | entries: capacity x {name 16 bytes, next u32, era u32}
 *     | segments | blocks: capacity x 4096
 *
 * The constants may be made read-only where a program that is not trusted runs. Whatever else such a program writes over shows
 * as a block that is not what its name says.
 *
 * A bucket is a chain of entries, newest first; insertion writes block and entry, then swings the head by compare-and-swap.
 * Block 0 is the block of zeros and is never in a chain. The region is sparse: only what is used takes memory.
 *
 * Blocks not read for long can be moved to a file, a segment (256 blocks) at a time. That happens under the eyes of processes
 * that read: a reader checks what it got against the name, and looks in the file if it is not that.
 *
 * Or they can be forgotten: content goes, number and name stay. Whoever puts the same content again, because he has made it again,
 * finds the number and leaves the content there; so forgetting changes no number and no name, only what can be read meanwhile. Who
 * forgets must know what others are about to read, and says it; what they have put of late, and who knows what they refer to by it,
 * is told by eras: a block is of the era in which it was put last, new or again, and none of the present era is forgotten unless
 * that is asked for.
 */
#ifndef CKPT_BLOCK_STORE_H
#define CKPT_BLOCK_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLOCK_NONE UINT32_MAX

struct block_name {
    uint64_t low, high; /* XXH3-128 of the content */
};

struct block_store; /* the region itself */

/* What a store keeps: blocks, or only their names, for those who need to tell contents apart but not to have them again. */
enum block_keeping { KEEP_CONTENT, KEEP_NAMES };

/* Bytes of address space for a store of `capacity` blocks of `block_size` bytes (a multiple of 64, at most 4096). */
size_t block_store_bytes(uint32_t block_size, uint32_t capacity, enum block_keeping keeping);
/* Makes a store of zeroed memory at `region`. */
struct block_store *block_store_format(void *region, uint32_t block_size, uint32_t capacity, enum block_keeping keeping);

struct block_name block_name(const void *content, size_t size);

/* The number of the block with this content; BLOCK_NONE if the store is full. */
uint32_t block_store_put(struct block_store *store, const void *content, struct block_name name);
/* Puts a block that was kept elsewhere under the number it had, into a store that nobody else uses yet; numbers that are left out
 * name nothing. False if there is no room for it. */
bool block_store_restore(struct block_store *store, uint32_t block, const void *content);
/* Where the content is in memory. Only of a store that keeps content and never spills. */
const void *block_store_get(const struct block_store *store, uint32_t block);
/* Copies the block to `to`. False if it no longer has the content that it is named for. */
bool block_store_read(struct block_store *store, uint32_t block, void *to);
/* Does the block, which must be in memory, still have the content that it is named for? */
bool block_store_intact(const struct block_store *store, uint32_t block);
struct block_name block_store_name(const struct block_store *store, uint32_t block);
/* Blocks handed out so far, the zero block included. */
uint32_t block_store_count(const struct block_store *store);
/* Bytes of memory in use: content and names, not the bucket heads. */
uint64_t block_store_used_bytes(const struct block_store *store);
/* Of it, content. */
uint64_t block_store_content_bytes(const struct block_store *store);

/* Lets blocks be moved to the file `descriptor`, which must be open under this number in every process that reads. */
void block_store_allow_spill(struct block_store *store, int descriptor);
/* Moves blocks not read for long to the file until `bytes` of memory are free; returns how many are: fewer if there are no more
 * such blocks or the disk is full. For one process only. */
uint64_t block_store_spill(struct block_store *store, uint64_t bytes);
uint64_t block_store_spilled_bytes(const struct block_store *store);

/* Begins a new era, and returns it. */
uint32_t block_store_new_era(struct block_store *store);
/* Forgets the blocks below `count` that are not in `keep`, a bit for each block, and were put last before era `before`; returns how
 * many bytes of memory are free by it. For one process only, and not for a store that spills. */
uint64_t block_store_forget(struct block_store *store, const uint64_t *keep, uint32_t count, uint32_t before);
/* How many are forgotten now. */
uint32_t block_store_forgotten(const struct block_store *store);
/* Is the block's content there? */
bool block_store_has(const struct block_store *store, uint32_t block);

#endif
