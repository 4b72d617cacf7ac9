/* A content-addressed store of fixed-size blocks in shared memory: each distinct content is kept once and named by a small
 * number. Used by several processes at once without locks; a process that dies at any point leaks at most one block.
 *
 * Layout of the region (drawn for pages, 4096 bytes):
 *
 *     constants: 4096 bytes | counters | bucket heads: 2^20 x u32 | entries: capacity x {name 16 bytes, next u32} | segments
 *     | blocks: capacity x 4096
 *
 * The constants may be made read-only where a program that is not trusted runs. Whatever else such a program writes over shows
 * as a block that is not what its name says.
 *
 * A bucket is a chain of entries, newest first; insertion writes block and entry, then swings the head by compare-and-swap.
 * Block 0 is the block of zeros and is never in a chain. The region is sparse: only what is used takes memory.
 *
 * Blocks not read for long can be moved to a file, a segment (256 blocks) at a time. That happens under the eyes of processes
 * that read: a reader checks what it got against the name, and looks in the file if it is not that.
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

/* Lets blocks be moved to the file `descriptor`, which must be open under this number in every process that reads. */
void block_store_allow_spill(struct block_store *store, int descriptor);
/* Moves blocks not read for long to the file until `bytes` of memory are free; returns how many are: fewer if there are no more
 * such blocks or the disk is full. For one process only. */
uint64_t block_store_spill(struct block_store *store, uint64_t bytes);
uint64_t block_store_spilled_bytes(const struct block_store *store);

#endif
