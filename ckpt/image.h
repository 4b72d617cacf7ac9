/* The tracked memory of this process: which pages belong to a local state, what changed since the last capture, and how to
 * make memory hold another local state. Knows nothing of MPI. Runs on a stack of its own, uses no libc state, and lives,
 * like all it points to, outside the tracked memory.
 *
 * Pages are numbered through all ranges in turn:
 *
 *     range 0: 0x555555558000, 3 pages  -> 0, 1, 2
 *     range 1: 0x7ffff7fa0000, 2 pages  -> 3, 4
 */
#ifndef CKPT_IMAGE_H
#define CKPT_IMAGE_H

#include "ckpt/page_tree.h"

enum { IMAGE_RANGES = 512, IMAGE_HOT = 512 };

struct image_range {
    uintptr_t start, end;
    uintptr_t open;       /* from here on it is closed: no access, nothing there. Grows, see image_open */
    uint32_t first;       /* number of its first page */
    uint32_t first_chunk; /* likewise; see heat.h */
    int execution;        /* PROT_EXEC: what it holds may be executed; else 0 */
};

struct image_span {
    uintptr_t start, end;
};

enum tracker_choice { TRACKER_AUTO, TRACKER_USERFAULTFD, TRACKER_MPROTECT };

struct image;

/* How written pages are found. */
struct dirty_tracker {
    const char *name;
    /* Begins to watch all ranges; every page counts as written until the first collect. False: the system lacks it. */
    bool (*start)(struct image *image);
    /* This process is a fork of the one that was watched, and nothing is to be collected: begins to watch again. */
    bool (*renew)(struct image *image);
    /* Closes what only this process can have. May be NULL. */
    void (*release)(struct image *image);
    /* Stores the numbers of the pages written since the last collect, ascending, into image->dirty; watches them anew. */
    size_t (*collect)(struct image *image);
    /* The explorer itself is about to write this page. May be NULL. */
    void (*will_write)(struct image *image, uint32_t index);
    /* Stops watching a page (`alone`), which stays writable, or watches it again. False: not possible. */
    bool (*leave_alone)(struct image *image, uint32_t index, bool alone);
    /* A write to `address` faulted: true if that was the tracker's doing and the write may be tried again. May be NULL. */
    bool (*fault)(struct image *image, uintptr_t address);
};

extern const struct dirty_tracker tracker_userfaultfd, tracker_mprotect;

struct image {
    struct block_store *pages, *nodes;
    const struct dirty_tracker *tracker;
    struct image_range range[IMAGE_RANGES];
    uint32_t ranges;
    uint32_t page_count;
    uintptr_t stack_low, stack_high; /* the application's stack, one of the ranges */
    uint32_t current;                /* root that memory held at the last capture or load */
    uint32_t *dirty;                 /* result of collect: room for page_count numbers, like the lists below */
    uint32_t *written;               /* tracker_mprotect: pages not protected now */
    struct page_change *change;
    uint8_t *writable;    /* tracker_mprotect: for each page, is it not protected */
    size_t written_count; /* tracker_mprotect */
    uint8_t *heat;        /* heat.c, as all below: for each page */
    uint8_t *patience;    /* ... how often it was hot, and then not */
    uint32_t *counted;    /* pages with heat that are not hot */
    size_t counteds;
    uint32_t hot[IMAGE_HOT], hots; /* ascending */
    uint8_t *chunk;                /* for each chunk: CHUNK_COLD, CHUNK_TOUCHED */
    uint32_t chunks;
    struct image_span *span; /* what is to be scanned; room for one for each chunk */
    uint32_t spans;
    bool spans_stale;
    uint64_t captures;
    int userfault, pagemap; /* tracker_userfaultfd: descriptors */
    uint64_t captured_pages, restored_pages;
};

/* Adds a range; ranges must be added in ascending order. False if there are too many ranges or pages. */
bool image_add_range(struct image *image, uintptr_t start, uintptr_t end);
/* The range that begins there holds code, too: the stack of a program in which functions within functions are passed on, say. */
void image_let_execute(struct image *image, uintptr_t start);
/* Bytes of zeroed memory that the image's lists need once all ranges are added, and giving it that memory. */
size_t image_list_bytes(const struct image *image);
void image_use_lists(struct image *image, void *memory);
/* Closes the part of a range from `open` on, so that what is only reserved costs nothing. */
void image_close_from(struct image *image, uint32_t range, uintptr_t open);
bool image_is_open(const struct image *image, uintptr_t address);
/* Makes sure that the page at `address` is open. */
void image_open(struct image *image, uintptr_t address);
/* Starts tracking with the tracker chosen (auto: userfaultfd, else mprotect). False: none works. */
bool image_start(struct image *image, enum tracker_choice choice);
/* Empties what lies below `stack_pointer` on the stack, before tracking starts: a copy of this process that adopts a name must
 * have the memory that the copy which gave the name captured. */
void image_empty_stack(const struct image *image, uintptr_t stack_pointer);
/* Instead of the first capture: memory is known to hold `root`. */
void image_adopt(struct image *image, uint32_t root);
/* Goes on tracking in a fork of the process that tracked, memory being as last captured. False: that does not work. */
bool image_renew(struct image *image);
/* Lets go of the kernel's objects behind the tracking; image_renew makes them anew. */
void image_release(struct image *image);

/* Makes all memory cold but the chunks that `keep` (addresses) are in. Most of what is mapped, the data of libraries, is never
 * written after the start; each part that need not be looked at makes a capture cheaper. */
void image_cool(struct image *image, const uintptr_t *keep, size_t kept);
/* A write to `address` faulted: true if that was the image's doing and the write may be tried again. */
bool image_fault(struct image *image, uintptr_t address);
/* Somebody who cannot take a fault (the kernel, the explorer itself) is about to write this page. */
void image_will_write(struct image *image, uint32_t index);

/* The number of the page that holds `address`, or BLOCK_NONE. */
uint32_t image_index(const struct image *image, uintptr_t address);
uintptr_t image_address(const struct image *image, uint32_t index);
const struct image_range *image_range_of_page(const struct image *image, uint32_t index);
/* Protects a part of a range, for its trackers: what may be executed stays so. */
void image_protect(const struct image_range *range, uintptr_t start, size_t bytes, int protection);

/* Lets nothing be done with these pages but what `protection` says, whatever the tracker needs; and gives them back to it.
 * Between the two nothing may be captured or loaded, and what the image does to pages near them may undo it. */
void image_restrict(const struct image *image, uintptr_t start, uintptr_t end, int protection);
void image_unprotect(const struct image *image, uintptr_t start, uintptr_t end);

/* Names the present content of memory, with what is garbage, below the stack pointers, zeroed. BLOCK_NONE: store full.
 * TREE_DAMAGED: what memory was is not known any more, as the store was written over. */
uint32_t image_capture(struct image *image, const struct image_span *garbage, uint32_t spans);
/* Makes memory hold `root`, dropping what was written since the last capture or load if `dirty`. False if a page of the store
 * no longer has the content it is named for. */
bool image_load(struct image *image, uint32_t root, bool dirty);

#endif
