#include "tests/state/fabricated.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static struct block_store *store(uint32_t block_size) {
    size_t bytes = block_store_bytes(block_size, 4096, KEEP_CONTENT);
    void *region = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return block_store_format(region, block_size, 4096, KEEP_CONTENT);
}

struct fabricated *fabricated_new(void) {
    struct fabricated *fabricated = calloc(1, sizeof *fabricated);
    fabricated->nodes = store(TREE_NODE_BYTES);
    fabricated->memory =
        (struct captured_memory){.layout = &fabricated->layout, .pages = store(PAGE_BYTES), .nodes = fabricated->nodes};
    return fabricated;
}

void fabricated_range(struct fabricated *fabricated, uint64_t start, uint32_t pages) {
    struct memory_layout *layout = &fabricated->layout;
    const struct layout_range *last = layout->ranges ? &layout->range[layout->ranges - 1] : NULL;
    uint32_t first = last ? last->first + (uint32_t)((last->end - last->start) / PAGE_BYTES) : 0;
    layout->range[layout->ranges++] = (struct layout_range){start, start + pages * (uint64_t)PAGE_BYTES, first, 0};
}

static uint32_t index_of(const struct memory_layout *layout, uint64_t address) {
    for (uint32_t i = 0; i < layout->ranges; i++)
        if (address >= layout->range[i].start && address < layout->range[i].end)
            return layout->range[i].first + (uint32_t)((address - layout->range[i].start) / PAGE_BYTES);
    abort();
}

uint32_t fabricated_write(struct fabricated *fabricated, uint32_t root, uint64_t address, const void *bytes, size_t size) {
    const char *from = bytes;
    while (size) {
        char content[PAGE_BYTES];
        size_t inside = address % PAGE_BYTES, part = PAGE_BYTES - inside < size ? PAGE_BYTES - inside : size;
        assert(captured_read(&fabricated->memory, root, address - inside, content, PAGE_BYTES));
        memcpy(content + inside, from, part);
        struct page_change change = {.index = index_of(&fabricated->layout, address),
                                     .page =
                                         block_store_put(fabricated->memory.pages, content, block_name(content, PAGE_BYTES))};
        root = page_tree_update(fabricated->nodes, root, &change, 1);
        address += part;
        from += part;
        size -= part;
    }
    return root;
}
