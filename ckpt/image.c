#include "ckpt/image.h"

#include "ckpt/heat.h"
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
    struct image_range *range = &image->range[image->ranges++];
    *range =
        (struct image_range){.start = start, .end = end, .open = end, .first = image->page_count, .first_chunk = image->chunks};
    image->page_count += (uint32_t)pages;
    image->chunks += heat_chunks(range);
    image->spans_stale = true;
    return true;
}

void image_let_execute(struct image *image, uintptr_t start) {
    for (uint32_t i = 0; i < image->ranges; i++)
        if (image->range[i].start == start)
            image->range[i].execution = PROT_EXEC;
}

void image_protect(const struct image_range *range, uintptr_t start, size_t bytes, int protection) {
    RAW3(SYS_mprotect, start, bytes, protection | range->execution);
}

size_t image_list_bytes(const struct image *image) {
    size_t a_page = sizeof *image->change + sizeof *image->dirty + sizeof *image->written + sizeof *image->counted +
                    sizeof *image->writable + sizeof *image->heat + sizeof *image->patience;
    return image->page_count * a_page + image->chunks * (sizeof *image->span + sizeof *image->chunk);
}

void image_use_lists(struct image *image, void *memory) {
    size_t pages = image->page_count;
    image->span = memory;
    image->change = (struct page_change *)(image->span + image->chunks);
    image->dirty = (uint32_t *)(image->change + pages);
    image->written = image->dirty + pages;
    image->counted = image->written + pages;
    image->writable = (uint8_t *)(image->counted + pages);
    image->heat = image->writable + pages;
    image->patience = image->heat + pages;
    image->chunk = image->patience + pages;
}

void image_close_from(struct image *image, uint32_t range, uintptr_t open) {
    struct image_range *closing = &image->range[range];
    open = (open + CHUNK_BYTES - 1) / CHUNK_BYTES * CHUNK_BYTES;
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
    uintptr_t open = (address + CHUNK_BYTES) / CHUNK_BYTES * CHUNK_BYTES;
    open = open < range->end ? open : range->end;
    int protection = image->tracker && image->tracker->fault ? PROT_READ : PROT_READ | PROT_WRITE;
    image_protect(range, range->open, open - range->open, protection);
    range->open = open;
    image->spans_stale = true;
}

void image_cool(struct image *image, const uintptr_t *keep, size_t kept) {
    if (image->tracker->fault)
        return; /* such a tracker protects everything already */
    for (uint32_t i = 0; i < image->ranges; i++) {
        struct image_range *range = &image->range[i];
        if (range->open == range->start)
            continue;
        memset(image->chunk + range->first_chunk, CHUNK_COLD, heat_chunk(range, range->open - 1) + 1 - range->first_chunk);
        image_protect(range, range->start, range->open - range->start, PROT_READ);
        for (size_t k = 0; k < kept; k++)
            if (keep[k] >= range->start && keep[k] < range->open)
                heat_warm(image, range, keep[k]);
    }
    image->spans_stale = true;
}

bool image_fault(struct image *image, uintptr_t address) {
    if (image->tracker && image->tracker->fault)
        return image->tracker->fault(image, address);
    const struct image_range *range = range_of(image, address);
    return range && heat_warm(image, range, address);
}

void image_will_write(struct image *image, uint32_t index) {
    uintptr_t address = image_address(image, index);
    image_open(image, address);
    heat_warm(image, range_of(image, address), address);
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

void image_empty_stack(const struct image *image, uintptr_t stack_pointer) {
    uintptr_t page = stack_pointer / PAGE_BYTES * PAGE_BYTES;
    RAW3(SYS_madvise, image->stack_low, page - image->stack_low, MADV_DONTNEED);
    memset((void *)page, 0, stack_pointer - page);
}

void image_adopt(struct image *image, uint32_t root) {
    image->tracker->collect(image);
    image->current = root;
}

bool image_renew(struct image *image) { return image->tracker->renew(image); }

void image_release(struct image *image) {
    if (image->tracker->release)
        image->tracker->release(image);
}

/* The open part of the range between the two; false if there is none. */
static bool open_part(const struct image_range *range, uintptr_t *start, uintptr_t *end) {
    *start = *start > range->start ? *start : range->start;
    *end = *end < range->open ? *end : range->open;
    return *start < *end;
}

void image_restrict(const struct image *image, uintptr_t start, uintptr_t end, int protection) {
    for (uint32_t i = 0; i < image->ranges; i++) {
        uintptr_t from = start, to = end;
        if (open_part(&image->range[i], &from, &to))
            RAW3(SYS_mprotect, from, to - from, protection);
    }
}

/* What the tracker would fault at must fault again. */
static int protection_of(const struct image *image, const struct image_range *range, uintptr_t address) {
    bool watched = image->tracker->fault ? !image->writable[range->first + (address - range->start) / PAGE_BYTES]
                                         : heat_is_cold(image, range, address);
    return watched ? PROT_READ : PROT_READ | PROT_WRITE;
}

static void unprotect(const struct image *image, const struct image_range *range, uintptr_t start, uintptr_t end) {
    while (start < end) {
        int protection = protection_of(image, range, start);
        uintptr_t to = start + PAGE_BYTES;
        while (to < end && protection_of(image, range, to) == protection)
            to += PAGE_BYTES;
        image_protect(range, start, to - start, protection);
        start = to;
    }
}

void image_unprotect(const struct image *image, uintptr_t start, uintptr_t end) {
    for (uint32_t i = 0; i < image->ranges; i++) {
        uintptr_t from = start, to = end;
        if (open_part(&image->range[i], &from, &to))
            unprotect(image, &image->range[i], from, to);
    }
}

static size_t collect(struct image *image) { return heat_collected(image, image->tracker->collect(image)); }

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

const struct image_range *image_range_of_page(const struct image *image, uint32_t index) {
    uint32_t low = 0, high = image->ranges;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (image->range[middle].first <= index)
            low = middle;
        else
            high = middle;
    }
    return &image->range[low];
}

uintptr_t image_address(const struct image *image, uint32_t index) {
    const struct image_range *range = image_range_of_page(image, index);
    return range->start + (uintptr_t)(index - range->first) * PAGE_BYTES;
}

/* What is below a stack pointer is garbage of finished calls: two states must not differ by it. The part of a page that is so.
 * False: there is none. */
static bool garbage_part(const struct image *image, uint32_t index, const struct image_span *garbage, struct image_span *part) {
    uintptr_t page = image_address(image, index);
    part->start = garbage->start > page ? garbage->start : page;
    part->end = garbage->end < page + PAGE_BYTES ? garbage->end : page + PAGE_BYTES;
    return part->start < part->end;
}

static void clean_page(struct image *image, uint32_t index, const struct image_span *garbage) {
    struct image_span part;
    if (!garbage_part(image, index, garbage, &part))
        return;
    image_will_write(image, index);
    memset((void *)part.start, 0, part.end - part.start);
}

static bool holds_zeros(const struct image_span *part) {
    const char *bytes = (const char *)part->start;
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, part->end - part->start - 1) == 0;
}

static bool is_listed(const uint32_t *list, size_t count, uint32_t index) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list[middle] < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && list[low] == index;
}

struct left_behind {
    struct image *image;
    const struct image_span *garbage;
    size_t dirty, count; /* in image->dirty: pages that were collected, and with those that were added */
};

static void add_left_behind(void *context, uint32_t index, uint32_t page) {
    (void)page;
    struct left_behind *left = context;
    struct image_span part;
    if (!is_listed(left->image->dirty, left->dirty, index) && garbage_part(left->image, index, left->garbage, &part) &&
        !holds_zeros(&part))
        left->image->dirty[left->count++] = index;
}

/* The numbers from `sorted` on join those before, which ascend. They are few. */
static void join(uint32_t *list, size_t sorted, size_t count) {
    for (size_t i = sorted; i < count; i++) {
        uint32_t moved = list[i];
        size_t at = i;
        for (; at > 0 && list[at - 1] > moved; at--)
            list[at] = list[at - 1];
        list[at] = moved;
    }
}

/* A function may return without having written to all pages that it once wrote to: these are garbage too now, though nobody has
 * written to them. Adds them to the `count` dirty ones. False: it is not known any more what memory was. */
static bool add_garbage(struct image *image, const struct image_span *garbage, size_t *count) {
    struct left_behind left = {image, garbage, *count, *count};
    for (uint32_t i = 0; i < image->ranges; i++) {
        const struct image_range *range = &image->range[i];
        uintptr_t start = garbage->start, end = garbage->end;
        if (!open_part(range, &start, &end))
            continue;
        const uint32_t first = range->first + (uint32_t)((start - range->start) / PAGE_BYTES);
        const uint32_t last = range->first + (uint32_t)((end - 1 - range->start) / PAGE_BYTES);
        if (!page_tree_content(image->nodes, image->current, first, last + 1, add_left_behind, &left))
            return false;
    }
    join(image->dirty, left.dirty, left.count);
    *count = left.count;
    return true;
}

uint32_t image_capture(struct image *image, const struct image_span *garbage, uint32_t spans) {
    size_t dirty = collect(image);
    size_t changes = 0;
    for (uint32_t k = 0; k < spans; k++)
        if (!add_garbage(image, &garbage[k], &dirty))
            return TREE_DAMAGED;
    for (size_t i = 0; i < dirty; i++) {
        uint32_t index = image->dirty[i];
        uintptr_t address = image_address(image, index);
        for (uint32_t k = 0; k < spans; k++)
            clean_page(image, index, &garbage[k]);
        struct block_name name = block_name((void *)address, PAGE_BYTES);
        uint32_t before = page_tree_find(image->nodes, image->current, index);
        struct block_name old = block_store_name(image->pages, before);
        if (old.low == name.low && old.high == name.high)
            continue;
        heat_changed(image, index);
        uint32_t page = block_store_put(image->pages, (void *)address, name);
        if (page == BLOCK_NONE)
            return BLOCK_NONE;
        image->change[changes++] = (struct page_change){index, page};
    }
    image->captured_pages += dirty;
    uint32_t root = page_tree_update(image->nodes, image->current, image->change, changes);
    if (root < TREE_DAMAGED)
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
    image_will_write(image, index);
    if (!block_store_read(image->pages, page, (void *)image_address(image, index)))
        load->intact = false;
    image->restored_pages++;
}

bool image_load(struct image *image, uint32_t root, bool dirty) {
    struct load load = {image, true};
    if (dirty) {
        size_t count = collect(image);
        for (size_t i = 0; i < count; i++)
            load_page(&load, image->dirty[i], page_tree_find(image->nodes, image->current, image->dirty[i]));
    }
    bool walked = page_tree_difference(image->nodes, image->current, root, load_page, &load);
    image->current = root;
    return walked && load.intact;
}
