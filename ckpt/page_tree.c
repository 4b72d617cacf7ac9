#include "ckpt/page_tree.h"

#include <string.h>

static const uint32_t *node_at(const struct block_store *nodes, uint32_t node) { return block_store_get(nodes, node); }

/* `shift`: bits of the index below this node's own six. */
static uint32_t update(struct block_store *nodes, uint32_t node, unsigned shift, const struct page_change *change,
                       size_t count) {
    if (!block_store_intact(nodes, node))
        return TREE_DAMAGED;
    uint32_t child[TREE_FANOUT];
    memcpy(child, node_at(nodes, node), sizeof child);
    for (size_t i = 0; i < count;) {
        uint32_t slot = (change[i].index >> shift) % TREE_FANOUT;
        if (shift == 0) {
            child[slot] = change[i++].page;
            continue;
        }
        size_t end = i + 1;
        while (end < count && (change[end].index >> shift) == (change[i].index >> shift))
            end++;
        child[slot] = update(nodes, child[slot], shift - 6, change + i, end - i);
        if (child[slot] >= TREE_DAMAGED)
            return child[slot];
        i = end;
    }
    return block_store_put(nodes, child, block_name(child, sizeof child));
}

uint32_t page_tree_update(struct block_store *nodes, uint32_t root, const struct page_change *change, size_t count) {
    return count ? update(nodes, root, 6 * (TREE_LEVELS - 1), change, count) : root;
}

uint32_t page_tree_find(const struct block_store *nodes, uint32_t root, uint32_t index) {
    uint32_t node = root;
    for (int shift = 6 * (TREE_LEVELS - 1); shift >= 0; shift -= 6)
        node = node_at(nodes, node)[(index >> shift) % TREE_FANOUT];
    return node;
}

struct difference {
    const struct block_store *nodes;
    uint32_t first, end; /* pages that are looked at */
    void (*visit)(void *context, uint32_t index, uint32_t page);
    void *context;
};

static bool walk(const struct difference *difference, uint32_t from, uint32_t to, unsigned shift, uint32_t base) {
    if (!block_store_intact(difference->nodes, from) || !block_store_intact(difference->nodes, to))
        return false;
    const uint32_t *a = node_at(difference->nodes, from), *b = node_at(difference->nodes, to);
    for (uint32_t slot = 0; slot < TREE_FANOUT; slot++) {
        uint32_t index = base + (slot << shift);
        if (a[slot] == b[slot] || index + (1u << shift) <= difference->first || index >= difference->end)
            continue;
        if (shift == 0)
            difference->visit(difference->context, index, b[slot]);
        else if (!walk(difference, a[slot], b[slot], shift - 6, index))
            return false;
    }
    return true;
}

bool page_tree_difference(const struct block_store *nodes, uint32_t from, uint32_t to,
                          void (*visit)(void *context, uint32_t index, uint32_t page), void *context) {
    struct difference difference = {nodes, 0, TREE_PAGES, visit, context};
    return from == to || walk(&difference, from, to, 6 * (TREE_LEVELS - 1), 0);
}

bool page_tree_content(const struct block_store *nodes, uint32_t root, uint32_t first, uint32_t end,
                       void (*visit)(void *context, uint32_t index, uint32_t page), void *context) {
    struct difference difference = {nodes, first, end, visit, context};
    return root == 0 || walk(&difference, 0, root, 6 * (TREE_LEVELS - 1), 0);
}
