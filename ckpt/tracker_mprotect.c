/* Written pages from page protection: all are read-only, the first write to one faults and makes it writable. Works wherever
 * Linux does, at the price of a signal for each page. System calls that write into protected memory do not fault but fail
 * with EFAULT: whoever uses this tracker makes their targets writable first (see system_calls.c). */
#include "ckpt/image.h"
#include "ckpt/raw_syscall.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static void protect(const struct image *image, uint32_t index, size_t pages, int protection) {
    image_protect(image_range_of_page(image, index), image_address(image, index), pages * PAGE_BYTES, protection);
}

static void will_write(struct image *image, uint32_t index) {
    if (image->writable[index])
        return;
    image->writable[index] = 1;
    image->written[image->written_count++] = index;
    protect(image, index, 1, PROT_READ | PROT_WRITE);
}

static bool fault(struct image *image, uintptr_t address) {
    uint32_t index = image_index(image, address);
    if (index == BLOCK_NONE || image->writable[index] || !image_is_open(image, address))
        return false;
    will_write(image, index);
    return true;
}

static bool leave_alone(struct image *image, uint32_t index, bool alone) {
    image->writable[index] = alone;
    protect(image, index, 1, alone ? PROT_READ | PROT_WRITE : PROT_READ);
    return true;
}

/* Shell sort: no libc, no recursion, and the lists are short. */
static void sort(uint32_t *list, size_t count) {
    for (size_t gap = count / 2; gap > 0; gap /= 2)
        for (size_t i = gap; i < count; i++) {
            uint32_t moved = list[i];
            size_t at = i;
            for (; at >= gap && list[at - gap] > moved; at -= gap)
                list[at] = list[at - gap];
            list[at] = moved;
        }
}

/* Pages without content are not listed: they are zero, as in root 0. */
static bool list_present(struct image *image, const struct image_range *range) {
    unsigned char present[4096];
    for (uintptr_t at = range->start; at < range->open; at += sizeof present * PAGE_BYTES) {
        size_t pages = (range->open - at) / PAGE_BYTES;
        pages = pages < sizeof present ? pages : sizeof present;
        if (RAW3(SYS_mincore, at, pages * PAGE_BYTES, present) != 0)
            return false;
        for (size_t i = 0; i < pages; i++)
            if (present[i] & 1)
                will_write(image, range->first + (uint32_t)((at - range->start) / PAGE_BYTES + i));
    }
    return true;
}

static bool start(struct image *image) {
    memset(image->writable, 0, image->page_count);
    image->written_count = 0;
    for (uint32_t i = 0; i < image->ranges; i++) {
        const struct image_range *range = &image->range[i];
        if (!list_present(image, range))
            return false;
        image_protect(range, range->start, range->open - range->start, PROT_READ);
    }
    for (size_t i = 0; i < image->written_count; i++)
        protect(image, image->written[i], 1, PROT_READ | PROT_WRITE);
    return true;
}

/* Protection and lists are inherited. */
static bool renew(struct image *image) {
    (void)image;
    return true;
}

static size_t collect(struct image *image) {
    size_t count = image->written_count;
    memcpy(image->dirty, image->written, count * sizeof *image->dirty);
    sort(image->dirty, count);
    for (size_t i = 0; i < count;) {
        const struct image_range *range = image_range_of_page(image, image->dirty[i]);
        size_t run = 1;
        while (i + run < count && image->dirty[i + run] == image->dirty[i] + run &&
               image_range_of_page(image, image->dirty[i + run]) == range)
            run++;
        protect(image, image->dirty[i], run, PROT_READ);
        memset(image->writable + image->dirty[i], 0, run);
        i += run;
    }
    image->written_count = 0;
    return count;
}

const struct dirty_tracker tracker_mprotect = {.name = "mprotect",
                                               .start = start,
                                               .renew = renew,
                                               .collect = collect,
                                               .will_write = will_write,
                                               .leave_alone = leave_alone,
                                               .fault = fault};
