/* Forgetting the pages that no tree of a list needs, and knowing of which trees pages were forgotten. */
#ifndef EXPLORER_PAGE_MARKS_H
#define EXPLORER_PAGE_MARKS_H

#include "ckpt/page_tree.h"
#include "explorer/containers/bit_set.h"

struct page_marks {
    struct block_store *pages, *nodes;
    uint32_t count;                    /* of pages that can be marked */
    struct bit_set page;               /* to be kept */
    struct bit_set kept[TREE_LEVELS];  /* nodes, by how many levels are below, under which all is marked */
    struct bit_set whole[TREE_LEVELS]; /* ... and under which all is there, since anything was forgotten last */
};

/* The stores must outlive it. To be freed. */
struct page_marks page_marks_of(struct block_store *pages, struct block_store *nodes);
void page_marks_free(struct page_marks *marks);

/* Is all of the tree there? BLOCK_NONE is no tree, and whole. */
bool page_marks_whole(struct page_marks *marks, uint32_t root);

/* What is to be kept: begins a list of trees; adds one, of whose pages those that are there are kept, and returns how many
 * bytes that is more; and forgets all other pages that were put last before the era `before`, which returns how many bytes that
 * is. */
void page_marks_begin(struct page_marks *marks);
uint64_t page_marks_keep(struct page_marks *marks, uint32_t root);
uint64_t page_marks_forget(struct page_marks *marks, uint32_t before);

#endif
