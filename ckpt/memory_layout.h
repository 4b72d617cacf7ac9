/* Where the pages of an image are in the program's address space, and what else one must know to say what they hold. Written once
 * by the zygote into the shared region, so that the explorer can read captured memory without a process.
 *
 *     range 0: 0x555555558000 to 0x55555555b000, first page 0
 *     range 1: 0x0ff000000000 to …,              first page 3   (page descriptors of the arena)
 */
#ifndef CKPT_MEMORY_LAYOUT_H
#define CKPT_MEMORY_LAYOUT_H

#include <stdint.h>

enum { LAYOUT_RANGES = 512, LAYOUT_THREAD_BLOCKS = 128 };

struct layout_range {
    uint64_t start, end;
    uint32_t first; /* number of its first page */
    uint32_t zero;
};

/* The thread-local variables of one module. */
struct layout_thread_block {
    uint64_t module; /* the module's load bias */
    uint64_t start, end;
};

struct memory_layout {
    uint32_t ranges, thread_blocks;
    uint64_t stack_low, stack_high;
    uint64_t stack_pointer_at;             /* address of the word that holds the stack pointer of the blocked program */
    uint64_t descriptors, descriptors_end; /* of the heap's pages */
    uint64_t heap, heap_end;
    struct layout_range range[LAYOUT_RANGES];
    struct layout_thread_block thread_block[LAYOUT_THREAD_BLOCKS];
};

#endif
