/* An image as a tree of page names: 4 levels of 64 children, 2^24 pages. Inner nodes are blocks of a block store (64
 * uint32), leaves' children are pages of another one; so equal images have equal roots, and images that share pages share
 * nodes. Root 0 is the image of zeros.
 *
 *     root --6 bits--> node --6 bits--> node --6 bits--> leaf --6 bits--> page
 */
#ifndef CKPT_PAGE_TREE_H
#define CKPT_PAGE_TREE_H

#include "ckpt/block_store.h"

enum { PAGE_BYTES = 4096, TREE_FANOUT = 64, TREE_LEVELS = 4, TREE_PAGES = 1 << 24, TREE_NODE_BYTES = TREE_FANOUT * 4 };

struct page_change {
    uint32_t index; /* page of the image */
    uint32_t page;  /* its content: number in the page store */
};

#define TREE_DAMAGED (BLOCK_NONE - 1)

/* The root that differs from `root` in the `count` given pages (strictly ascending by index). BLOCK_NONE: node store full.
 * TREE_DAMAGED: a node no longer has the content that it is named for. */
uint32_t page_tree_update(struct block_store *nodes, uint32_t root, const struct page_change *change, size_t count);

/* The page at `index`. */
uint32_t page_tree_find(const struct block_store *nodes, uint32_t root, uint32_t index);

/* Calls visit(context, index, page in `to`) for each page in which the two images differ, ascending. False, and nothing more is
 * visited, if a node no longer has the content that it is named for. */
bool page_tree_difference(const struct block_store *nodes, uint32_t from, uint32_t to,
                          void (*visit)(void *context, uint32_t index, uint32_t page), void *context);

/* Calls visit(context, index, page) for each page of `root` from `first` to before `end` that is not one of zeros, ascending. False
 * as above. */
bool page_tree_content(const struct block_store *nodes, uint32_t root, uint32_t first, uint32_t end,
                       void (*visit)(void *context, uint32_t index, uint32_t page), void *context);

#endif
