/* Written pages from userfaultfd's asynchronous write protection and the PAGEMAP_SCAN ioctl (Linux 6.7 and later): a write
 * to a watched page costs one short fault in the kernel, and one call both lists the written pages and watches them anew. */
#include "ckpt/heat.h"
#include "ckpt/raw_syscall.h"

#include <fcntl.h>
#include <linux/ioctl.h>
#include <linux/types.h>
#include <linux/userfaultfd.h>
#include <sys/syscall.h>

/* Newer than Debian 12's kernel headers; from the kernel's include/uapi/linux/{fs,userfaultfd}.h. */
#define FEATURE_WP_ASYNC (1u << 15)
#define SCAN_WP_MATCHING (1u << 0)
#define CATEGORY_WPALLOWED (1u << 0)
#define CATEGORY_WRITTEN (1u << 1)
#define CATEGORY_PRESENT (1u << 3)
#define CATEGORY_SWAPPED (1u << 4)
struct page_region {
    __u64 start, end, categories;
};
struct scan_argument {
    __u64 size, flags, start, end, walk_end, vec, vec_len, max_pages;
    __u64 category_inverted, category_mask, category_anyof_mask, return_mask;
};
#define PAGEMAP_SCAN_IOCTL _IOWR('f', 16, struct scan_argument)

enum { REGIONS = 256 };

static bool watch(const struct image *image, uintptr_t start, size_t bytes) {
    struct uffdio_register request = {.range = {start, bytes}, .mode = UFFDIO_REGISTER_MODE_WP};
    return RAW3(SYS_ioctl, image->userfault, UFFDIO_REGISTER, &request) == 0;
}

static bool leave_alone(struct image *image, uint32_t index, bool alone) {
    uintptr_t address = image_address(image, index);
    struct uffdio_range range = {address, PAGE_BYTES};
    return alone ? RAW3(SYS_ioctl, image->userfault, UFFDIO_UNREGISTER, &range) == 0 : watch(image, address, PAGE_BYTES);
}

static void append(struct image *image, size_t *count, const struct page_region *region) {
    for (uintptr_t address = region->start; address < region->end; address += PAGE_BYTES) {
        uint32_t index = image_index(image, address);
        if (index != BLOCK_NONE)
            image->dirty[(*count)++] = index;
    }
}

static bool scan(struct image *image, uintptr_t start, uintptr_t end, size_t *count) {
    struct page_region region[REGIONS] __attribute__((uninitialized)); /* only what the kernel fills in is read */
    struct scan_argument argument = {.size = sizeof argument,
                                     .flags = SCAN_WP_MATCHING,
                                     .start = start,
                                     .end = end,
                                     .vec = (__u64)(uintptr_t)region,
                                     .vec_len = REGIONS,
                                     .category_mask = CATEGORY_WPALLOWED | CATEGORY_WRITTEN,
                                     /* Pages never touched are zeros, as in root 0. */
                                     .category_anyof_mask = CATEGORY_PRESENT | CATEGORY_SWAPPED,
                                     .return_mask = CATEGORY_WRITTEN};
    while (argument.start < end) {
        long found = RAW3(SYS_ioctl, image->pagemap, PAGEMAP_SCAN_IOCTL, &argument);
        if (found < 0)
            return false;
        for (long i = 0; i < found; i++)
            append(image, count, &region[i]);
        argument.start = argument.walk_end;
    }
    return true;
}

static bool collect_spans(struct image *image, size_t *count) {
    *count = 0;
    heat_spans(image);
    for (uint32_t i = 0; i < image->spans; i++)
        if (!scan(image, image->span[i].start, image->span[i].end, count))
            return false;
    return true;
}

static bool start(struct image *image) {
    image->userfault = (int)RAW1(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
    image->pagemap = (int)RAW4(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0);
    struct uffdio_api api = {.api = UFFD_API, .features = FEATURE_WP_ASYNC};
    if (image->userfault < 0 || image->pagemap < 0 || RAW3(SYS_ioctl, image->userfault, UFFDIO_API, &api) != 0)
        return false;
    for (uint32_t i = 0; i < image->ranges; i++)
        if (!watch(image, image->range[i].start, image->range[i].end - image->range[i].start))
            return false;
    return true;
}

static size_t collect(struct image *image) {
    size_t count;
    if (!collect_spans(image, &count))
        __builtin_trap(); /* worked at the start: only a program that closed our descriptors gets here */
    return count;
}

static void release(struct image *image) {
    RAW1(SYS_close, image->userfault);
    RAW1(SYS_close, image->pagemap);
    image->userfault = image->pagemap = -1;
}

/* A fork inherits neither the registration nor descriptors that mean its own memory. */
static bool renew(struct image *image) {
    release(image);
    size_t count;
    heat_forget(image);
    return start(image) && collect_spans(image, &count);
}

const struct dirty_tracker tracker_userfaultfd = {
    .name = "userfaultfd", .start = start, .renew = renew, .release = release, .collect = collect, .leave_alone = leave_alone};
