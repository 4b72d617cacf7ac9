/* Heap blocks, as the captured page descriptors of the allocator show them. */
#include "explorer/frame_variables.h"
#include "explorer/state_parts.h"

#include "models/mpi/preload/arena_layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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

/* "heap block of 48 bytes at 0x…, allocated in build_list (app.c:31)"; malloc'd. */
static char *name_of(const struct comparison *comparison, int which, const struct block *block) {
    uint64_t site, spare;
    char *name = NULL;
    bool known = captured_allocation(comparison->memory, comparison->log[which], block->start, &site, &spare);
    uint64_t size = known && spare < block->size ? block->size - spare : block->size;
    if (known && comparison->modules) {
        struct stack_frame caller = {.pc = site};
        struct frame_function function = frame_function(comparison->modules, &caller);
        if (asprintf(&name, "heap block of %" PRIu64 " bytes at 0x%" PRIx64 ", allocated in %s (%s)", size, block->start,
                     function.name, function.line) >= 0)
            return name;
    }
    if (asprintf(&name, "heap block of %" PRIu64 " bytes at 0x%" PRIx64, size, block->start) < 0)
        return strdup("");
    return name;
}

/* Blocks of libraries say little about the program. */
static enum difference_kind kind_of(const struct comparison *comparison, int which, const struct block *block) {
    uint64_t site, spare;
    const struct module *module = NULL;
    if (comparison->modules && captured_allocation(comparison->memory, comparison->log[which], block->start, &site, &spare))
        module = modules_at(comparison->modules, site - 1);
    return !module || module->kind == MODULE_PROGRAM ? DIFFERENT_HEAP
           : module->kind == MODULE_OWN              ? DIFFERENT_OWN
                                                     : DIFFERENT_LIBRARY;
}

/* --- blocks that only one state has ---------------------------------------------------------------------------------- */

static void add_lone(struct comparison *comparison, int which, const struct block *block) {
    struct difference difference = {.kind = kind_of(comparison, which, block),
                                    .address = block->start,
                                    .size = block->size,
                                    .name = name_of(comparison, which, block)};
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
    char *name = name_of(comparison, 0, &block[0]);
    compare_add(comparison, kind_of(comparison, 0, &block[0]), &rest, NULL, "%s, bytes %" PRIu64 " to %" PRIu64, name,
                begin - block[0].start, begin + rest.size - 1 - block[0].start);
    free(name);
    return begin + rest.size;
}
