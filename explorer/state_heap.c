/* Heap blocks, as the captured page descriptors of the allocator show them. */
#include "explorer/state_parts.h"

#include "models/mpi/preload/arena_layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct block {
    uint64_t start, size;
};

static bool read_descriptor(const struct comparison *comparison, int which, uint64_t page, struct page *descriptor) {
    const struct memory_layout *layout = comparison->memory->layout;
    uint64_t address = layout->descriptors + page * sizeof *descriptor;
    return address < layout->descriptors_end &&
           captured_read(comparison->memory, comparison->root[which], address, descriptor, sizeof *descriptor);
}

static bool sane(const struct page *head) {
    return head->kind == RUN_LARGE || (head->kind == RUN_SLAB && head->class_number < ARENA_CLASSES);
}

/* The slot of a slab, or the large block, that holds an address; false if that is free. */
static bool block_at(const struct comparison *comparison, int which, uint64_t address, struct block *block) {
    const struct memory_layout *layout = comparison->memory->layout;
    uint64_t page = (address - layout->heap) / PAGE_BYTES;
    struct page head;
    if (!read_descriptor(comparison, which, page, &head))
        return false;
    if (head.kind == RUN_INSIDE) {
        page -= head.length;
        if (!read_descriptor(comparison, which, page, &head))
            return false;
    }
    uint64_t start = layout->heap + page * PAGE_BYTES;
    if (!sane(&head))
        return false;
    if (head.kind == RUN_LARGE) {
        *block = (struct block){start, head.length * (uint64_t)PAGE_BYTES};
        return true;
    }
    uint64_t size = arena_class_size(head.class_number), slot = (address - start) / size;
    *block = (struct block){start + slot * size, size};
    return slot < ARENA_MAX_SLOTS && (head.taken[slot / 64] >> (slot % 64) & 1);
}

/* --- blocks that only one state has ---------------------------------------------------------------------------------- */

static void add_lone(struct comparison *comparison, int which, const struct block *block) {
    struct difference difference = {.kind = DIFFERENT_HEAP, .address = block->start, .size = block->size};
    if (asprintf(&difference.name, "heap block of %" PRIu64 " bytes at 0x%" PRIx64, block->size, block->start) < 0)
        difference.name = strdup("");
    difference.value[which] = strdup("allocated");
    state_difference_add(comparison->found, &difference);
}

/* Adds the blocks that begin in the run of `page` in one state and are not the same in the other. */
static void compare_run_blocks(struct comparison *comparison, int which, uint64_t page) {
    uint64_t start = comparison->memory->layout->heap + page * PAGE_BYTES;
    struct page head;
    struct block block, other;
    if (!read_descriptor(comparison, which, page, &head) || !sane(&head))
        return;
    uint64_t size = head.kind == RUN_SLAB ? arena_class_size(head.class_number) : 0;
    for (uint64_t slot = 0; slot < (size ? ARENA_MAX_SLOTS : 1); slot++) {
        uint64_t address = start + slot * size;
        if (block_at(comparison, which, address, &block) && block.start == address &&
            !(block_at(comparison, !which, address, &other) && other.start == block.start && other.size == block.size))
            add_lone(comparison, which, &block);
    }
}

void compare_heap_blocks(struct comparison *comparison) {
    const struct memory_layout *layout = comparison->memory->layout;
    struct captured_pair all = {{comparison->root[0], comparison->root[1]},
                                {layout->descriptors, layout->descriptors},
                                layout->descriptors_end - layout->descriptors};
    for (uint64_t offset = 0; captured_next_difference(comparison->memory, &all, &offset);) {
        uint64_t page = offset / sizeof(struct page);
        compare_run_blocks(comparison, 0, page);
        compare_run_blocks(comparison, 1, page);
        offset = (page + 1) * sizeof(struct page);
    }
}

/* --- content --------------------------------------------------------------------------------------------------------- */

uint64_t compare_heap(struct comparison *comparison, uint64_t address, uint64_t end) {
    struct block block[2];
    bool here = block_at(comparison, 0, address, &block[0]), there = block_at(comparison, 1, address, &block[1]);
    if (!here && !there)
        return address + 1;
    bool same = here && there && block[0].start == block[1].start && block[0].size == block[1].size;
    if (!same) /* said already */
        return here ? block[0].start + block[0].size : block[1].start + block[1].size;
    uint64_t block_end = block[0].start + block[0].size;
    end = end < block_end ? end : block_end;
    /* Values mostly begin at multiples of their size. */
    uint64_t begin = address / 4 * 4;
    struct captured_pair rest = {{comparison->root[0], comparison->root[1]}, {begin, begin}, end - begin};
    uint64_t run = compare_run(comparison, &rest, address - begin) + address - begin;
    run = (run + 3) / 4 * 4;
    rest.size = run < rest.size ? run : rest.size;
    compare_add(comparison, DIFFERENT_HEAP, &rest, NULL,
                "heap block of %" PRIu64 " bytes at 0x%" PRIx64 ", bytes %" PRIu64 " to %" PRIu64, block[0].size, block[0].start,
                begin - block[0].start, begin + rest.size - 1 - block[0].start);
    return begin + rest.size;
}
