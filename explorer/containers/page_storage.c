#include "explorer/containers/page_storage.h"
#include "explorer/containers/search_storage.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { HUGE_BYTES = 2 << 20, PAGE = 4096 };
enum { SMALL_BYTES = 64 << 10 }; /* below, malloc zeroes memory that it has at hand in less time than the kernel maps new one */

static size_t whole_pages(size_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

static void *mapped(void *memory) { return storage_checked(memory == MAP_FAILED ? NULL : memory); }

/* Address space that begins where a huge page may. */
static char *reserve(size_t bytes) {
    char *space = mapped(mmap(NULL, bytes + HUGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    size_t before = (HUGE_BYTES - (uintptr_t)space % HUGE_BYTES) % HUGE_BYTES;
    if (before)
        munmap(space, before);
    munmap(space + before + bytes, HUGE_BYTES - before);
    return space + before;
}

void *page_storage_new(size_t bytes) {
    if (bytes < SMALL_BYTES)
        return storage_new(1, bytes);
    bytes = whole_pages(bytes);
    const bool large = bytes >= HUGE_BYTES;
    void *memory = mapped(mmap(large ? reserve(bytes) : NULL, bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (large ? MAP_FIXED : 0), -1, 0));
    if (large)
        madvise(memory, bytes, MADV_HUGEPAGE); /* better so, but no harm if not */
    return memory;
}

void page_storage_release(void *pages, size_t bytes) { madvise(pages, bytes / PAGE * PAGE, MADV_DONTNEED); }

void page_storage_free(void *memory, size_t bytes) {
    if (bytes < SMALL_BYTES)
        free(memory);
    else if (memory)
        munmap(memory, whole_pages(bytes));
}
