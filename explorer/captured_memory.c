#include "explorer/captured_memory.h"

#include <string.h>

bool captured_layout_valid(const struct memory_layout *layout) {
    if (layout->ranges > LAYOUT_RANGES || layout->thread_blocks > LAYOUT_THREAD_BLOCKS)
        return false;
    for (uint32_t i = 0; i < layout->ranges; i++) {
        const struct layout_range *range = &layout->range[i];
        if (range->end < range->start || range->first + (range->end - range->start) / PAGE_BYTES > TREE_PAGES)
            return false;
    }
    return layout->ranges > 0;
}

static const struct layout_range *range_of(const struct memory_layout *layout, uint64_t address) {
    for (uint32_t i = 0; i < layout->ranges; i++)
        if (address >= layout->range[i].start && address < layout->range[i].end)
            return &layout->range[i];
    return NULL;
}

const char *captured_at(const struct captured_memory *memory, uint32_t root, uint64_t address, size_t *available) {
    const struct layout_range *range = range_of(memory->layout, address);
    if (!range)
        return NULL;
    uint32_t index = range->first + (uint32_t)((address - range->start) / PAGE_BYTES);
    size_t inside = address % PAGE_BYTES;
    *available = PAGE_BYTES - inside;
    return (const char *)block_store_get(memory->pages, page_tree_find(memory->nodes, root, index)) + inside;
}

bool captured_read(const struct captured_memory *memory, uint32_t root, uint64_t address, void *to, size_t size) {
    char *at = to;
    while (size) {
        size_t available;
        const char *from = captured_at(memory, root, address, &available);
        if (!from)
            return false;
        if (available > size)
            available = size;
        memcpy(at, from, available);
        at += available;
        address += available;
        size -= available;
    }
    return true;
}

uint64_t captured_address(const struct captured_memory *memory, uint32_t index) {
    const struct memory_layout *layout = memory->layout;
    uint32_t at = 0;
    while (at + 1 < layout->ranges && layout->range[at + 1].first <= index)
        at++;
    return layout->range[at].start + (uint64_t)(index - layout->range[at].first) * PAGE_BYTES;
}

bool captured_next_difference(const struct captured_memory *memory, const struct captured_pair *pair, uint64_t *offset) {
    while (*offset < pair->size) {
        size_t a_left, b_left, left = pair->size - *offset;
        const char *a = captured_at(memory, pair->root[0], pair->address[0] + *offset, &a_left);
        const char *b = captured_at(memory, pair->root[1], pair->address[1] + *offset, &b_left);
        if (!a || !b)
            return false;
        left = a_left < left ? a_left : left;
        left = b_left < left ? b_left : left;
        if (a != b && memcmp(a, b, left) != 0) { /* the same page of the store is the same content */
            for (size_t i = 0; i < left; i++)
                if (a[i] != b[i]) {
                    *offset += i;
                    return true;
                }
        }
        *offset += left;
    }
    return false;
}
