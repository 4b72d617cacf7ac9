/* How the arena is laid out: for the allocator itself, and for the explorer, which reads it in captured memory.
 *
 *     page descriptors, one for each page | pages: runs, each a slab of equal slots or one large block
 */
#ifndef MODELS_MPI_PRELOAD_ARENA_LAYOUT_H
#define MODELS_MPI_PRELOAD_ARENA_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

enum { ARENA_CLASSES = 56, ARENA_MAX_SLOTS = 256 };
enum run_kind { RUN_NONE = 0, RUN_SLAB, RUN_LARGE, RUN_INSIDE };

/* The descriptor of a page. Those of free pages are all zero. */
struct page {
    uint8_t kind;
    uint8_t class_number;
    uint16_t used;     /* slab: slots in use */
    uint32_t length;   /* head of a run: its pages. inside: distance to the head */
    uint64_t taken[4]; /* slab: bit per slot */
    uint64_t spare[4]; /* slab: bit per slot that is taken and has bytes that nobody asked for; they say how many */
    uint32_t next;     /* slab with free slots: next higher one of its class, 0 none */
    uint32_t unasked;  /* large: bytes that nobody asked for, at its end */
};

/* 16, 32, … 128, then four to a doubling. */
static inline size_t arena_class_size(unsigned class_number) {
    if (class_number < 8)
        return (size_t)16 * (class_number + 1);
    unsigned doubling = (class_number - 8) / 4, quarter = (class_number - 8) % 4;
    return (size_t)(5 + quarter) << (5 + doubling);
}

#endif
