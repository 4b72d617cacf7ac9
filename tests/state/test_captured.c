/* Reading captured memory, its heap, and its allocation log. */
#include "explorer/local_states/captured_heap.h"
#include "tests/state/fabricated.h"

#include "ckpt/channel.h"

#include <criterion/criterion.h>
#include <string.h>

static struct fabricated *made;

static void set_up(void) {
    made = fabricated_new();
    fabricated_range(made, 0x10000, 2);
    fabricated_range(made, 0x20000, 4);
}

Test(captured, bytes_are_read_across_pages, .init = set_up) {
    char text[16] = "";
    uint32_t root = fabricated_write(made, 0, 0x20ffc, "over the", 8);
    cr_assert(captured_read(&made->memory, root, 0x20ffc, text, 8));
    cr_assert_str_eq(text, "over the");
    cr_assert(captured_read(&made->memory, 0, 0x20ffc, text, 8));
    cr_assert_eq(text[0], 0, "state 0 is all zeros");
}

Test(captured, addresses_outside_are_refused, .init = set_up) {
    char byte[2];
    cr_assert_not(captured_read(&made->memory, 0, 0xffff, byte, 1));
    cr_assert_not(captured_read(&made->memory, 0, 0x12000, byte, 1));
    cr_assert_not(captured_read(&made->memory, 0, 0x11fff, byte, 2), "its second byte is in no state");
    cr_assert(captured_read(&made->memory, 0, 0x11fff, byte, 1));
}

Test(captured, pages_have_addresses, .init = set_up) {
    cr_assert_eq(captured_address(&made->memory, 1), 0x11000);
    cr_assert_eq(captured_address(&made->memory, 2), 0x20000);
    cr_assert_eq(captured_address(&made->memory, 5), 0x23000);
}

Test(captured, a_layout_that_makes_no_sense_is_noticed, .init = set_up) {
    cr_assert(captured_layout_valid(&made->layout));
    made->layout.range[1].end = made->layout.range[1].start - 1;
    cr_assert_not(captured_layout_valid(&made->layout));
    set_up();
    made->layout.ranges = LAYOUT_RANGES + 1;
    cr_assert_not(captured_layout_valid(&made->layout));
    set_up();
    made->layout.range[0].first = TREE_PAGES;
    cr_assert_not(captured_layout_valid(&made->layout));
}

Test(captured, differences_are_found_one_by_one, .init = set_up) {
    uint32_t a = fabricated_write(made, 0, 0x20100, "xy", 2);
    uint32_t b = fabricated_write(made, fabricated_write(made, 0, 0x20100, "xz", 2), 0x22fff, "!", 1);
    struct captured_pair pair = {{a, b}, {0x20000, 0x20000}, 4 * PAGE_BYTES};
    uint64_t offset = 0;
    cr_assert(captured_next_difference(&made->memory, &pair, &offset));
    cr_assert_eq(offset, 0x101);
    offset++;
    cr_assert(captured_next_difference(&made->memory, &pair, &offset));
    cr_assert_eq(offset, 0x2fff);
    offset++;
    cr_assert_not(captured_next_difference(&made->memory, &pair, &offset));
}

Test(captured, objects_at_different_places_can_be_compared, .init = set_up) {
    uint32_t root = fabricated_write(made, fabricated_write(made, 0, 0x10ff0, "equal, not", 10), 0x20005, "equal, NOT", 10);
    struct captured_pair pair = {{root, root}, {0x10ff0, 0x20005}, 10};
    uint64_t offset = 0;
    cr_assert(captured_next_difference(&made->memory, &pair, &offset));
    cr_assert_eq(offset, 7);
    pair.size = 7;
    offset = 0;
    cr_assert_not(captured_next_difference(&made->memory, &pair, &offset));
}

/* --- the heap -------------------------------------------------------------------------------------------------------- */

enum { DESCRIPTORS = 0x100000, HEAP = 0x200000 };

static uint32_t write_descriptor(uint32_t root, unsigned page, struct page descriptor) {
    return fabricated_write(made, root, DESCRIPTORS + page * sizeof descriptor, &descriptor, sizeof descriptor);
}

/* Page 0 is never used; page 1: a slab of 48-byte slots (class 2), of which 0 and 3 are taken; pages 2 to 4: one block. */
static uint32_t heap_state(void) {
    made = fabricated_new();
    fabricated_range(made, DESCRIPTORS, 1);
    fabricated_range(made, HEAP, 8);
    made->layout.descriptors = DESCRIPTORS;
    made->layout.descriptors_end = DESCRIPTORS + PAGE_BYTES;
    made->layout.heap = HEAP;
    made->layout.heap_end = HEAP + 8 * PAGE_BYTES;
    uint32_t root =
        write_descriptor(0, 1, (struct page){.kind = RUN_SLAB, .class_number = 2, .used = 2, .length = 1, .taken = {9}});
    root = write_descriptor(root, 2, (struct page){.kind = RUN_LARGE, .length = 3});
    root = write_descriptor(root, 3, (struct page){.kind = RUN_INSIDE, .length = 1});
    return write_descriptor(root, 4, (struct page){.kind = RUN_INSIDE, .length = 2});
}

Test(heap, an_address_has_its_block) {
    uint32_t root = heap_state();
    struct heap_block block;
    cr_assert(captured_block_at(&made->memory, root, HEAP + PAGE_BYTES + 3 * 48 + 47, &block));
    cr_assert(block.start == HEAP + PAGE_BYTES + 3 * 48 && block.size == 48);
    cr_assert(captured_block_at(&made->memory, root, HEAP + 4 * PAGE_BYTES + 5, &block));
    cr_assert(block.start == HEAP + 2 * PAGE_BYTES && block.size == 3 * PAGE_BYTES);
}

Test(heap, free_memory_has_none) {
    uint32_t root = heap_state();
    struct heap_block block;
    cr_assert_not(captured_block_at(&made->memory, root, HEAP + PAGE_BYTES + 48, &block), "a free slot");
    cr_assert_not(captured_block_at(&made->memory, root, HEAP + 5 * PAGE_BYTES, &block), "a free page");
    cr_assert_not(captured_block_at(&made->memory, 0, HEAP + PAGE_BYTES, &block), "before anything was allocated");
}

Test(heap, a_spoilt_descriptor_is_no_block) {
    uint32_t root = write_descriptor(heap_state(), 1, (struct page){.kind = RUN_SLAB, .class_number = 200, .taken = {1}});
    struct heap_block block;
    cr_assert_not(captured_block_at(&made->memory, root, HEAP + PAGE_BYTES, &block));
    root = write_descriptor(root, 3, (struct page){.kind = RUN_INSIDE, .length = 1u << 30});
    cr_assert_not(captured_block_at(&made->memory, root, HEAP + 3 * PAGE_BYTES, &block), "its head would be nowhere");
}

static void count_block(void *context, const struct heap_block *block) {
    (void)block;
    ++*(int *)context;
}

Test(heap, blocks_of_a_run_are_listed) {
    uint32_t root = heap_state();
    int blocks = 0;
    captured_blocks_of(&made->memory, root, 1, count_block, &blocks);
    cr_assert_eq(blocks, 2);
    captured_blocks_of(&made->memory, root, 2, count_block, &blocks);
    cr_assert_eq(blocks, 3);
    captured_blocks_of(&made->memory, root, 3, count_block, &blocks);
    cr_assert_eq(blocks, 3, "no run begins inside another");
}

Test(heap, the_log_says_who_allocated) {
    heap_state();
    uint64_t block = HEAP + PAGE_BYTES + 3 * 48, site, spare, word = (uint64_t)8 << 48 | 0x555555551234;
    /* The log is a tree of its own: its page 0 has the words of the first 8 KiB of the heap. */
    uint64_t content[PAGE_BYTES / sizeof(uint64_t)] = {0};
    content[(block - HEAP) / ALLOCATION_GRANULE] = word;
    struct page_change change = {0, block_store_put(made->memory.pages, content, block_name(content, PAGE_BYTES))};
    uint32_t log = page_tree_update(made->nodes, 0, &change, 1);
    cr_assert(captured_allocation(&made->memory, log, block, &site, &spare));
    cr_assert(site == 0x555555551234 && spare == 8);
    cr_assert_not(captured_allocation(&made->memory, log, HEAP + PAGE_BYTES, &site, &spare),
                  "a block of which nothing is known");
    cr_assert_not(captured_allocation(&made->memory, BLOCK_NONE, block, &site, &spare), "no log");
}
