#include "explorer/processes/page_marks.h"

static void clear(struct bit_set set[TREE_LEVELS]) {
    for (int level = 0; level < TREE_LEVELS; level++)
        bit_set_free(&set[level]);
}

struct page_marks page_marks_of(struct block_store *pages, struct block_store *nodes) {
    return (struct page_marks){.pages = pages, .nodes = nodes};
}

void page_marks_free(struct page_marks *marks) {
    clear(marks->kept);
    clear(marks->whole);
    bit_set_free(&marks->page);
}

/* Node 0 is all zeros, and so is page 0. A node that was written over is not whole: who reads it will see. */
static bool whole(struct page_marks *marks, uint32_t node, int level) {
    uint32_t child[TREE_FANOUT];
    if (node == 0 || bit_set_has(&marks->whole[level], node))
        return true;
    if (!block_store_read(marks->nodes, node, child))
        return false;
    for (int slot = 0; slot < TREE_FANOUT; slot++)
        if (!(level ? whole(marks, child[slot], level - 1) : block_store_has(marks->pages, child[slot])))
            return false;
    bit_set_add(&marks->whole[level], node);
    return true;
}

bool page_marks_whole(struct page_marks *marks, uint32_t root) {
    return root == BLOCK_NONE || block_store_forgotten(marks->pages) == 0 || whole(marks, root, TREE_LEVELS - 1);
}

void page_marks_begin(struct page_marks *marks) {
    clear(marks->kept);
    bit_set_free(&marks->page);
    marks->count = block_store_count(marks->pages);
    bit_set_reserve(&marks->page, marks->count);
}

static uint64_t keep_page(struct page_marks *marks, uint32_t page) {
    if (page == 0 || page >= marks->count || bit_set_has(&marks->page, page) || !block_store_has(marks->pages, page))
        return 0;
    bit_set_add(&marks->page, page);
    return PAGE_BYTES;
}

static uint64_t keep(struct page_marks *marks, uint32_t node, int level) {
    uint32_t child[TREE_FANOUT];
    uint64_t bytes = 0;
    if (node == 0 || bit_set_has(&marks->kept[level], node) || !block_store_read(marks->nodes, node, child))
        return 0;
    for (int slot = 0; slot < TREE_FANOUT; slot++)
        bytes += level ? keep(marks, child[slot], level - 1) : keep_page(marks, child[slot]);
    bit_set_add(&marks->kept[level], node);
    return bytes;
}

uint64_t page_marks_keep(struct page_marks *marks, uint32_t root) {
    return root == BLOCK_NONE ? 0 : keep(marks, root, TREE_LEVELS - 1);
}

uint64_t page_marks_forget(struct page_marks *marks, uint32_t before) {
    clear(marks->whole);
    return block_store_forget(marks->pages, marks->page.word, marks->count, before);
}
