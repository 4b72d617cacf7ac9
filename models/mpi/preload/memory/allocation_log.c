#include "models/mpi/preload/memory/allocation_log.h"

#include "models/mpi/preload/process/control.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LOG_AT ((char *)ALLOCATION_LOG_AT)

enum { BATCH = 64 };

enum keeping { KEEPING_UNKNOWN, KEEPING_NOTHING, KEEPING_LOG };

static enum keeping keeping;

bool allocation_log_kept(void) {
    if (keeping != KEEPING_UNKNOWN)
        return keeping == KEEPING_LOG;
    if (!environ)
        return false; /* the dynamic linker's own first blocks */
    keeping = KEEPING_NOTHING;
    if (!getenv(ALLOCATION_LOG_VARIABLE))
        return false;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    if (mmap(LOG_AT, ALLOCATION_LOG_BYTES, PROT_READ | PROT_WRITE, flags, -1, 0) == LOG_AT)
        keeping = KEEPING_LOG;
    return keeping == KEEPING_LOG;
}

void allocation_log_add(size_t at, size_t size, size_t asked, const void *caller) {
    size_t spare = size - asked < UINT16_MAX ? size - asked : 0;
    ((uint64_t *)LOG_AT)[at / ALLOCATION_GRANULE] = (uint64_t)spare << 48 | ((uintptr_t)caller & (((uint64_t)1 << 48) - 1));
}

/* Pages of the log for so many of the arena. */
static uint32_t log_pages(uint32_t pages) {
    return (uint32_t)((pages * (PAGE_BYTES / ALLOCATION_GRANULE * sizeof(uint64_t)) + PAGE_BYTES - 1) / PAGE_BYTES);
}

uint32_t allocation_log_capture(uint32_t pages) {
    struct image *image = &control->image;
    struct page_change change[BATCH];
    uint32_t root = 0, count = 0, last = log_pages(pages);
    for (uint32_t i = 0; i < last && root < TREE_DAMAGED; i++) {
        const char *content = LOG_AT + (size_t)i * PAGE_BYTES;
        uint32_t page = block_store_put(image->pages, content, block_name(content, PAGE_BYTES));
        if (page == BLOCK_NONE)
            return BLOCK_NONE;
        if (page)
            change[count++] = (struct page_change){i, page};
        if (count == BATCH) {
            root = page_tree_update(image->nodes, root, change, count);
            count = 0;
        }
    }
    return root >= TREE_DAMAGED ? root : page_tree_update(image->nodes, root, change, count);
}

bool allocation_log_load(uint32_t root, uint32_t pages) {
    struct image *image = &control->image;
    for (uint32_t i = 0, last = log_pages(pages); i < last; i++)
        if (!block_store_read(image->pages, page_tree_find(image->nodes, root, i), LOG_AT + (size_t)i * PAGE_BYTES))
            return false;
    return true;
}
