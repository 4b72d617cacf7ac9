/* Heap blocks: those that only one of two states has, and what differs in the others. */
#include "explorer/local_states/captured_heap.h"
#include "explorer/local_states/state_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "heap block of 48 bytes at 0x…, allocated in build_list (app.c:31)"; malloc'd. */
static char *name_of(const struct comparison *comparison, int which, const struct heap_block *block) {
    uint64_t site, spare;
    char *name = NULL;
    bool known = captured_allocation(comparison->memory, comparison->log[which], block->start, &site, &spare);
    uint64_t size = known && spare < block->size ? block->size - spare : block->size;
    if (known && comparison->modules) {
        struct stack_frame caller = {.pc = site};
        struct frame_function function = frame_function(comparison->modules, &caller);
        bool by_new = strncmp(function.name, "_Zn", 3) == 0; /* all of its forms */
        if (asprintf(&name, "heap block of %" PRIu64 " bytes at 0x%" PRIx64 ", allocated in %s (%s)", size, block->start,
                     by_new ? "operator new" : function.name, function.line) >= 0)
            return name;
    }
    if (asprintf(&name, "heap block of %" PRIu64 " bytes at 0x%" PRIx64, size, block->start) < 0)
        return strdup("");
    return name;
}

/* Blocks of libraries say little about the program. */
static enum difference_kind kind_of(const struct comparison *comparison, int which, const struct heap_block *block) {
    uint64_t site, spare;
    const struct module *module = NULL;
    if (comparison->modules && captured_allocation(comparison->memory, comparison->log[which], block->start, &site, &spare))
        module = modules_at(comparison->modules, site - 1);
    if (!module || modules_allocates_for_program(comparison->modules, site - 1))
        return DIFFERENT_HEAP;
    return module->kind == MODULE_OWN ? DIFFERENT_OWN : DIFFERENT_LIBRARY;
}

/* --- blocks that only one state has ---------------------------------------------------------------------------------- */

static void add_lone(struct comparison *comparison, int which, const struct heap_block *block) {
    struct difference difference = {.kind = kind_of(comparison, which, block),
                                    .address = block->start,
                                    .size = block->size,
                                    .name = name_of(comparison, which, block)};
    difference.value[which] = strdup("allocated");
    state_difference_add(comparison->found, &difference);
}

struct lone_blocks {
    struct comparison *comparison;
    int which;
};

static void visit_block(void *context, const struct heap_block *block) {
    const struct lone_blocks *blocks = context;
    struct heap_block other;
    if (!captured_block_at(blocks->comparison->memory, blocks->comparison->root[!blocks->which], block->start, &other) ||
        other.start != block->start || other.size != block->size)
        add_lone(blocks->comparison, blocks->which, block);
}

void compare_heap_blocks(struct comparison *comparison) {
    const struct memory_layout *layout = comparison->memory->layout;
    struct captured_pair all = {{comparison->root[0], comparison->root[1]},
                                {layout->descriptors, layout->descriptors},
                                layout->descriptors_end - layout->descriptors};
    for (uint64_t offset = 0; captured_next_difference(comparison->memory, &all, &offset);) {
        uint64_t page = offset / sizeof(struct page);
        for (int which = 0; which < 2; which++)
            captured_blocks_of(comparison->memory, comparison->root[which], page, visit_block,
                               &(struct lone_blocks){comparison, which});
        offset = (page + 1) * sizeof(struct page);
    }
}

/* --- content --------------------------------------------------------------------------------------------------------- */

/* Is the whole element that holds the address in the block? A pointer may have another type than its object. */
static bool has_element(const struct heap_block *block, const struct heap_pointer *pointer, uint64_t address) {
    Dwarf_Die type = pointer->type;
    uint64_t size = debug_type_size(&type);
    return ((address - block->start) / size + 1) * size <= block->size;
}

/* What differs at `address` in a block of which the type is known: an element of an array, or a member of a structure. */
static uint64_t compare_object(struct comparison *comparison, const struct captured_pair *whole,
                               const struct heap_pointer *pointer, uint64_t address) {
    struct heap_block block = {whole->address[0], whole->size};
    Dwarf_Die type = pointer->type;
    uint64_t size = debug_type_size(&type), offset = address - block.start, element = offset / size;
    struct debug_leaf leaf = debug_type_leaf(&type, size, offset % size);
    uint64_t start = block.start + element * size + leaf.start;
    struct captured_pair part = {{whole->root[0], whole->root[1]}, {start, start}, leaf.size};
    char *name = name_of(comparison, 0, &block), index[32] = "";
    bool member = block.size < 2 * size && leaf.path[0] == '.';
    if (!member)
        snprintf(index, sizeof index, "[%" PRIu64 "]", element);
    compare_add(comparison, kind_of(comparison, 0, &block), &part, leaf.typed ? &leaf.type : NULL, "%s, \"%s%s%s%s\"", name,
                pointer->name, index, member ? "->" : "", leaf.path + member);
    free(name);
    return start + leaf.size;
}

/* The bytes that differ from `address` on, in a block of which nothing more is known. Values mostly begin at multiples of their
 * size. */
static uint64_t compare_part(struct comparison *comparison, const struct captured_pair *whole, uint64_t address, uint64_t end) {
    struct heap_block block = {whole->address[0], whole->size};
    uint64_t begin = address / 4 * 4;
    end = end < block.start + block.size ? end : block.start + block.size;
    struct captured_pair rest = {{whole->root[0], whole->root[1]}, {begin, begin}, end - begin};
    uint64_t run = compare_run(comparison, &rest, address - begin) + address - begin;
    run = (run + 3) / 4 * 4;
    rest.size = run < rest.size ? run : rest.size;
    char *name = name_of(comparison, 0, &block);
    compare_add(comparison, kind_of(comparison, 0, &block), &rest, NULL, "%s, bytes %" PRIu64 " to %" PRIu64, name,
                begin - block.start, begin + rest.size - 1 - block.start);
    free(name);
    return begin + rest.size;
}

uint64_t compare_heap(struct comparison *comparison, uint64_t address, uint64_t end) {
    struct heap_block block[2];
    bool here = captured_block_at(comparison->memory, comparison->root[0], address, &block[0]);
    bool there = captured_block_at(comparison->memory, comparison->root[1], address, &block[1]);
    if (!here && !there)
        return address + 1;
    bool same = here && there && block[0].start == block[1].start && block[0].size == block[1].size;
    if (!same) /* said already */
        return here ? block[0].start + block[0].size : block[1].start + block[1].size;
    struct captured_pair whole = {{comparison->root[0], comparison->root[1]}, {block[0].start, block[0].start}, block[0].size};
    const struct heap_pointer *pointer = pointer_to(comparison, block[0].start);
    if (pointer && has_element(&block[0], pointer, address))
        return compare_object(comparison, &whole, pointer, address);
    return compare_part(comparison, &whole, address, end);
}
