#include "ckpt/image.h"

#include "ckpt/raw_syscall.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

bool image_add_range(struct image *image, uintptr_t start, uintptr_t end) {
    size_t pages = (end - start) / PAGE_BYTES;
    if (pages == 0)
        return true;
    if (image->ranges == IMAGE_RANGES || pages > TREE_PAGES - image->page_count)
        return false;
    image->range[image->ranges++] = (struct image_range){.start = start, .end = end, .open = end, .first = image->page_count};
    image->page_count += (uint32_t)pages;
    return true;
}

enum { OPEN_AT_ONCE = 2 << 20 }; /* what one page table page maps */

void image_close_from(struct image *image, uint32_t range, uintptr_t open) {
    struct image_range *closing = &image->range[range];
    open = (open + OPEN_AT_ONCE - 1) / OPEN_AT_ONCE * OPEN_AT_ONCE;
    closing->open = open < closing->end ? open : closing->end;
    RAW3(SYS_mprotect, closing->open, closing->end - closing->open, PROT_NONE);
}

static struct image_range *range_of(const struct image *image, uintptr_t address) {
    for (uint32_t i = 0; i < image->ranges; i++)
        if (address >= image->range[i].start && address < image->range[i].end)
            return (struct image_range *)&image->range[i];
    return NULL;
}

bool image_is_open(const struct image *image, uintptr_t address) {
    const struct image_range *range = range_of(image, address);
    return range && address < range->open;
}

void image_open(struct image *image, uintptr_t address) {
    struct image_range *range = range_of(image, address);
    if (!range || address < range->open)
        return;
    uintptr_t open = (address + OPEN_AT_ONCE) / OPEN_AT_ONCE * OPEN_AT_ONCE;
    open = open < range->end ? open : range->end;
    int protection = image->tracker && image->tracker->fault ? PROT_READ : PROT_READ | PROT_WRITE;
    RAW3(SYS_mprotect, range->open, open - range->open, protection);
    range->open = open;
}

void image_cool(struct image *image, const uintptr_t *keep, size_t kept) {
    if (image->tracker->fault)
        return; /* such a tracker protects everything already */
    for (uint32_t i = 0; i < image->ranges; i++) {
        struct image_range *range = &image->range[i];
        bool needed = false;
        for (size_t k = 0; k < kept; k++)
            needed = needed || (keep[k] >= range->start && keep[k] < range->end);
        if (needed)
            continue;
        range->cold = true;
        RAW3(SYS_mprotect, range->start, range->open - range->start, PROT_READ);
    }
}

static bool warm(struct image_range *range) {
    if (!range || !range->cold)
        return false;
    range->cold = false;
    RAW3(SYS_mprotect, range->start, range->open - range->start, PROT_READ | PROT_WRITE);
    return true;
}

bool image_fault(struct image *image, uintptr_t address) {
    if (image->tracker && image->tracker->fault)
        return image->tracker->fault(image, address);
    return warm(range_of(image, address));
}

void image_will_write(struct image *image, uint32_t index) {
    uintptr_t address = image_address(image, index);
    image_open(image, address);
    warm(range_of(image, address));
    if (image->tracker->will_write)
        image->tracker->will_write(image, index);
}

bool image_start(struct image *image, enum tracker_choice choice) {
    if (choice != TRACKER_MPROTECT) {
        image->tracker = &tracker_userfaultfd;
        if (image->tracker->start(image))
            return true;
        if (choice == TRACKER_USERFAULTFD)
            return false;
    }
    image->tracker = &tracker_mprotect;
    return image->tracker->start(image);
}

void image_adopt(struct image *image, uint32_t root) {
    image->tracker->collect(image);
    image->current = root;
}

bool image_renew(struct image *image) { return image->tracker->renew(image); }

uint32_t image_index(const struct image *image, uintptr_t address) {
    uint32_t low = 0, high = image->ranges;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (address >= image->range[middle].end)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == image->ranges || address < image->range[low].start)
        return BLOCK_NONE;
    return image->range[low].first + (uint32_t)((address - image->range[low].start) / PAGE_BYTES);
}

uintptr_t image_address(const struct image *image, uint32_t index) {
    uint32_t low = 0, high = image->ranges;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (image->range[middle].first <= index)
            low = middle;
        else
            high = middle;
    }
    return image->range[low].start + (uintptr_t)(index - image->range[low].first) * PAGE_BYTES;
}

/* What is below the stack pointer is garbage of finished calls: two states must not differ by it. */
static void clean_stack_page(struct image *image, uint32_t index, uintptr_t stack_pointer) {
    uintptr_t page = image_address(image, index);
    if (page < image->stack_low || page >= image->stack_high || page >= stack_pointer)
        return;
    image_will_write(image, index);
    uintptr_t end = page + PAGE_BYTES < stack_pointer ? page + PAGE_BYTES : stack_pointer;
    memset((void *)page, 0, end - page);
}

uint32_t image_capture(struct image *image, uintptr_t stack_pointer) {
    size_t dirty = image->tracker->collect(image);
    size_t changes = 0;
    for (size_t i = 0; i < dirty; i++) {
        uint32_t index = image->dirty[i];
        uintptr_t address = image_address(image, index);
        clean_stack_page(image, index, stack_pointer);
        struct block_name name = block_name((void *)address, PAGE_BYTES);
        uint32_t before = page_tree_find(image->nodes, image->current, index);
        struct block_name old = block_store_name(image->pages, before);
        if (old.low == name.low && old.high == name.high)
            continue;
        uint32_t page = block_store_put(image->pages, (void *)address, name);
        if (page == BLOCK_NONE)
            return BLOCK_NONE;
        image->change[changes++] = (struct page_change){index, page};
    }
    image->captured_pages += dirty;
    uint32_t root = page_tree_update(image->nodes, image->current, image->change, changes);
    if (root != BLOCK_NONE)
        image->current = root;
    return root;
}

struct load {
    struct image *image;
    bool intact;
};

static void load_page(void *context, uint32_t index, uint32_t page) {
    struct load *load = context;
    struct image *image = load->image;
    const void *content = block_store_get(image->pages, page);
    struct block_name name = block_store_name(image->pages, page), found = block_name(content, PAGE_BYTES);
    if (name.low != found.low || name.high != found.high)
        load->intact = false;
    image_will_write(image, index);
    memcpy((void *)image_address(image, index), content, PAGE_BYTES);
    image->restored_pages++;
}

bool image_load(struct image *image, uint32_t root, bool dirty) {
    struct load load = {image, true};
    if (dirty) {
        size_t count = image->tracker->collect(image);
        for (size_t i = 0; i < count; i++)
            load_page(&load, image->dirty[i], page_tree_find(image->nodes, image->current, image->dirty[i]));
    }
    page_tree_difference(image->nodes, image->current, root, load_page, &load);
    image->current = root;
    return load.intact;
}
