#include "explorer/local_states/captured_memory.h"

#include "ckpt/channel.h"

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

static void visit_nothing(void *context, uint32_t index, uint32_t page) { (void)context, (void)index, (void)page; }

bool captured_intact(const struct captured_memory *memory, const struct captured_state *state) {
    return page_tree_difference(memory->nodes, 0, state->root, visit_nothing, NULL) &&
           (state->log == BLOCK_NONE || page_tree_difference(memory->nodes, 0, state->log, visit_nothing, NULL));
}

static const struct layout_range *range_of(const struct memory_layout *layout, uint64_t address) {
    for (uint32_t i = 0; i < layout->ranges; i++)
        if (address >= layout->range[i].start && address < layout->range[i].end)
            return &layout->range[i];
    return NULL;
}

/* The number of the page that holds the address; false if no local state has it. */
static bool page_at(const struct captured_memory *memory, uint32_t root, uint64_t address, uint32_t *page) {
    const struct layout_range *range = range_of(memory->layout, address);
    if (!range)
        return false;
    *page = page_tree_find(memory->nodes, root, range->first + (uint32_t)((address - range->start) / PAGE_BYTES));
    return true;
}

bool captured_read(const struct captured_memory *memory, uint32_t root, uint64_t address, void *to, size_t size) {
    char *at = to, content[PAGE_BYTES];
    while (size) {
        uint32_t page;
        size_t inside = address % PAGE_BYTES, available = PAGE_BYTES - inside;
        if (!page_at(memory, root, address, &page) || !block_store_read(memory->pages, page, content))
            return false;
        if (available > size)
            available = size;
        memcpy(at, content + inside, available);
        at += available;
        address += available;
        size -= available;
    }
    return true;
}

bool captured_allocation(const struct captured_memory *memory, uint32_t log, uint64_t block, uint64_t *site, uint64_t *spare) {
    uint64_t at = (block - memory->layout->heap) / ALLOCATION_GRANULE * sizeof(uint64_t), word;
    char content[PAGE_BYTES];
    if (log == BLOCK_NONE ||
        !block_store_read(memory->pages, page_tree_find(memory->nodes, log, (uint32_t)(at / PAGE_BYTES)), content))
        return false;
    memcpy(&word, content + at % PAGE_BYTES, sizeof word);
    *site = word & (((uint64_t)1 << 48) - 1);
    *spare = word >> 48;
    return word != 0;
}

uint64_t captured_address(const struct captured_memory *memory, uint32_t index) {
    const struct memory_layout *layout = memory->layout;
    uint32_t at = 0;
    while (at + 1 < layout->ranges && layout->range[at + 1].first <= index)
        at++;
    return layout->range[at].start + (uint64_t)(index - layout->range[at].first) * PAGE_BYTES;
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

bool captured_next_difference(const struct captured_memory *memory, const struct captured_pair *pair, uint64_t *offset) {
    char content[2][PAGE_BYTES];
    while (*offset < pair->size) {
        uint32_t page[2];
        size_t left = pair->size - *offset, inside[2];
        for (int which = 0; which < 2; which++) {
            uint64_t address = pair->address[which] + *offset;
            if (!page_at(memory, pair->root[which], address, &page[which]))
                return false;
            inside[which] = address % PAGE_BYTES;
            left = least(left, PAGE_BYTES - inside[which]);
        }
        if (page[0] != page[1] || inside[0] != inside[1]) { /* the same page of the store is the same content */
            for (int which = 0; which < 2; which++)
                if (!block_store_read(memory->pages, page[which], content[which]))
                    return false;
            for (size_t i = 0; i < left; i++)
                if (content[0][inside[0] + i] != content[1][inside[1] + i]) {
                    *offset += i;
                    return true;
                }
        }
        *offset += left;
    }
    return false;
}
