/* The application's memory allocator. Its own, because states may differ only where the program does: a block's place
 * depends on the blocks alive and not on the history of those freed (lowest free slot of its size class, lowest free run of
 * pages), freed memory is zeroed, and all of it lies in one range that the image can track with one call.
 *
 *     page descriptors, one for each page | pages: runs, each a slab of equal slots or one large block
 *
 * In ranks that place blocks (placed_blocks.h) there are homes besides: slabs that stay, in which a slot is chosen by a hash.
 *
 * Of both mappings only the part up to the highest page ever used is open; see image_open.
 */
#include "models/mpi/preload/caller.h"
#include "models/mpi/preload/memory/allocation_log.h"
#include "models/mpi/preload/memory/arena_layout.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/process/page_rights.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ckpt/raw_syscall.h"

#define PUBLIC __attribute__((visibility("default")))
#define DESCRIPTORS_AT ((char *)0x0ff000000000)
#define ARENA_AT ((char *)0x100000000000)
#define ARENA_BYTES (24ull << 30)
#define ARENA_PAGES (uint32_t)(ARENA_BYTES / PAGE_BYTES)

enum { SMALL_MAX = 32768, SLOTS_WANTED = 8 };
/* How large homes are: of the smallest classes, and of those after them; and what they take at most, besides what the program may. */
enum { HOME_SLOTS = 256, FEWER_SLOTS = 64 };
enum { FULL_HOMES_TO = 512, HOMES_TO = 32768, HOME_PAGES = 4096 };

struct arena {
    struct page *page; /* descriptors; descriptor i is of the i-th page of the arena */
    uint32_t limit;    /* pages that may be used */
    uint32_t top;      /* end of the highest run */
    uint32_t lowest;   /* the lowest free page; at most `top` */
    uint32_t partial[ARENA_CLASSES];
    size_t refused;               /* size of the last block that there was no memory for; 0: always was */
    uint32_t home[ARENA_CLASSES]; /* the slab that is the class's; 0: none */
    bool after_message;           /* and not after anything else, since when: */
    uint32_t placed;              /* so many blocks of the program have gone to their homes */
    int32_t grown;                /* it has so many more */
    uint64_t place[2];            /* as arena_place_by was told */
    _Atomic int lock;
};

static struct arena arena;

static void lock(void) {
    while (atomic_exchange_explicit(&arena.lock, 1, memory_order_acquire))
        RAW0(SYS_sched_yield);
}
static void unlock(void) { atomic_store_explicit(&arena.lock, 0, memory_order_release); }

static unsigned class_of(size_t size) {
    if (size <= 128)
        return size ? (unsigned)((size - 1) / 16) : 0;
    unsigned log = 63 - (unsigned)__builtin_clzll(size - 1); /* 2^log <= size - 1 */
    unsigned quarter = (unsigned)((size - 1) >> (log - 2)) & 3;
    return 8 + (log - 7) * 4 + quarter;
}

static size_t descriptors_bytes(uint32_t pages) {
    return (pages * sizeof(struct page) + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

static void set_up(void) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    if (mmap(ARENA_AT, ARENA_BYTES, PROT_READ | PROT_WRITE, flags, -1, 0) != ARENA_AT ||
        mmap(DESCRIPTORS_AT, descriptors_bytes(ARENA_PAGES), PROT_READ | PROT_WRITE, flags, -1, 0) != DESCRIPTORS_AT)
        _exit(3);
    arena.page = (struct page *)DESCRIPTORS_AT;
    arena.limit = ARENA_PAGES - HOME_PAGES;
    arena.top = arena.lowest = 1; /* page 0 stays free: its number says "none" */
}

static char *page_address(uint32_t page) { return ARENA_AT + (size_t)page * PAGE_BYTES; }
static uint32_t page_of(const void *address) { return (uint32_t)(((char *)address - ARENA_AT) / PAGE_BYTES); }

static bool ours(const void *address) { return arena.page && (char *)address >= ARENA_AT && page_of(address) < arena.top; }

static void claim(uint32_t head, uint32_t pages, enum run_kind kind) {
    arena.page[head] = (struct page){.kind = (uint8_t)kind, .length = pages};
    for (uint32_t i = 1; i < pages; i++)
        arena.page[head + i] = (struct page){.kind = RUN_INSIDE, .length = i};
}

static void clear(uint32_t head, uint32_t pages) { memset(&arena.page[head], 0, pages * sizeof(struct page)); }

/* Free runs are gaps between other runs: descriptors of free pages are all zero. */
static uint32_t gap_length(uint32_t at, uint32_t wanted) {
    uint32_t length = 0;
    while (at + length < arena.top && length < wanted && arena.page[at + length].kind == RUN_NONE)
        length++;
    return length;
}

/* What is free is told by the runs alone, so that `top` and `lowest` are too. */
static void raise_lowest(void) {
    while (arena.lowest < arena.top && arena.page[arena.lowest].kind != RUN_NONE)
        arena.lowest += arena.page[arena.lowest].length;
}

static uint32_t round_up(uint32_t page, uint32_t align) { return (page + align - 1) / align * align; }

/* The lowest run of `pages` free pages whose address is a multiple of `align` pages; 0 if memory is used up. */
static uint32_t take_run(uint32_t pages, uint32_t align, enum run_kind kind) {
    uint32_t at = arena.lowest;
    while (at < arena.top) {
        if (arena.page[at].kind != RUN_NONE) {
            at += arena.page[at].length;
            continue;
        }
        uint32_t skip = round_up(at, align) - at, length = gap_length(at, skip + pages);
        if (length >= skip + pages || at + length == arena.top)
            break;
        at += length;
    }
    uint32_t start = round_up(at, align);
    if (start + (uint64_t)pages > arena.limit)
        return 0;
    /* What is not open yet opens at the first access (crash.c): were it done here, the stack would show that this executor had
     * not done it before. */
    if (start + pages > arena.top)
        arena.top = start + pages;
    claim(start, pages, kind);
    raise_lowest();
    return start;
}

static void release_pages(uint32_t start, uint32_t pages) {
    clear(start, pages);
    if (start < arena.lowest)
        arena.lowest = start;
    if (start + pages == arena.top)
        while (arena.top > 1 && arena.page[arena.top - 1].kind == RUN_NONE)
            arena.top--;
    if (arena.lowest > arena.top)
        arena.lowest = arena.top;
}

static void release_run(uint32_t head) { release_pages(head, arena.page[head].length); }

static uint32_t slots_of(unsigned class_number, uint32_t pages) {
    size_t slots = pages * (size_t)PAGE_BYTES / arena_class_size(class_number);
    return slots < ARENA_MAX_SLOTS ? (uint32_t)slots : ARENA_MAX_SLOTS;
}

static uint32_t slab_pages(unsigned class_number) {
    return (uint32_t)((arena_class_size(class_number) * SLOTS_WANTED + PAGE_BYTES - 1) / PAGE_BYTES);
}

static void list_insert(uint32_t slab) {
    uint32_t *link = &arena.partial[arena.page[slab].class_number];
    while (*link && *link < slab)
        link = &arena.page[*link].next;
    arena.page[slab].next = *link;
    *link = slab;
}

static void list_remove(uint32_t slab) {
    uint32_t *link = &arena.partial[arena.page[slab].class_number];
    while (*link != slab)
        link = &arena.page[*link].next;
    *link = arena.page[slab].next;
    arena.page[slab].next = 0;
}

static void *fill(uint32_t slab, uint32_t slot) {
    struct page *page = &arena.page[slab];
    page->taken[slot / 64] |= 1ull << (slot % 64);
    page->used++;
    return page_address(slab) + slot * arena_class_size(page->class_number);
}

static bool slot_has(const uint64_t bits[4], uint32_t slot) { return (bits[slot / 64] >> (slot % 64)) & 1; }

/* NULL: the class has no home, or it is full. */
static void *take_home_slot(unsigned class_number) {
    const uint32_t slab = arena.home[class_number];
    const struct page *page = &arena.page[slab];
    const uint32_t slots = slab ? slots_of(class_number, page->length) : 0;
    if (slab == 0 || page->used == slots)
        return NULL;
    const uint64_t nth = arena.placed++ * 0x9e3779b97f4a7c15u;
    uint32_t slot = (uint32_t)((arena.place[0] + nth) >> 32) % slots;
    if (slot_has(page->taken, slot))
        slot = (uint32_t)((arena.place[1] + nth) >> 32) % slots;
    while (slot_has(page->taken, slot))
        slot = (slot + 1) % slots;
    return fill(slab, slot);
}

static void *take_slot(unsigned class_number) {
    uint32_t slab = arena.partial[class_number];
    if (!slab) {
        slab = take_run(slab_pages(class_number), 1, RUN_SLAB);
        if (!slab)
            return NULL;
        arena.page[slab].class_number = (uint8_t)class_number;
        list_insert(slab);
    }
    struct page *page = &arena.page[slab];
    uint32_t word = 0;
    while (page->taken[word] == UINT64_MAX)
        word++;
    void *taken = fill(slab, word * 64 + (uint32_t)__builtin_ctzll(~page->taken[word]));
    if (page->used == slots_of(class_number, page->length))
        list_remove(slab);
    return taken;
}

static bool is_zero(const char *page) {
    const uint64_t *word = (const uint64_t *)page;
    uint64_t any = 0;
    for (size_t i = 0; i < PAGE_BYTES / 8; i++)
        any |= word[i];
    return any == 0;
}

/* Pages that were never written stay without memory. */
static void zero_pages(uint32_t head, uint32_t pages) {
    for (uint32_t i = 0; i < pages; i++)
        if (!is_zero(page_address(head + i)))
            memset(page_address(head + i), 0, PAGE_BYTES);
}

/* The place of the block that `address` starts: its size, or 0 if no block starts there. */
static size_t block_size(const void *address, uint32_t *head_page, uint32_t *slot) {
    if (!ours(address))
        return 0;
    uint32_t head = page_of(address);
    if (arena.page[head].kind == RUN_INSIDE)
        head -= arena.page[head].length;
    const struct page *page = &arena.page[head];
    size_t offset = (size_t)((char *)address - page_address(head));
    *head_page = head;
    *slot = 0;
    if (page->kind == RUN_LARGE)
        return offset == 0 ? page->length * (size_t)PAGE_BYTES : 0;
    if (page->kind != RUN_SLAB)
        return 0;
    size_t size = arena_class_size(page->class_number);
    *slot = (uint32_t)(offset / size);
    if (offset % size != 0 || *slot >= ARENA_MAX_SLOTS || !slot_has(page->taken, *slot))
        return 0;
    return size;
}

/* How many bytes of a slot nobody asked for is written in the last of them, or, if that says MANY, in the two before it. */
enum { MANY = 255 };

static void write_spare(char *slot_end, size_t spare) {
    const uint16_t many = (uint16_t)spare;
    slot_end[-1] = (char)(spare < MANY ? spare : MANY);
    if (spare >= MANY)
        memcpy(slot_end - 3, &many, sizeof many);
}

/* A program that writes there has written behind its block's end: what makes no sense counts as 0. */
static size_t read_spare(const char *slot_end, size_t size) {
    size_t spare = (unsigned char)slot_end[-1];
    uint16_t many;
    if (spare == MANY) {
        memcpy(&many, slot_end - 3, sizeof many);
        spare = many;
    }
    return spare <= size ? spare : 0;
}

/* Bytes of the block that nobody asked for. */
static size_t spare_of(const char *block, size_t size, uint32_t head, uint32_t slot) {
    const struct page *page = &arena.page[head];
    if (page->kind == RUN_LARGE)
        return page->unasked;
    return slot_has(page->spare, slot) ? read_spare(block + size, size) : 0;
}

static void note_asked(char *block, size_t asked) {
    uint32_t head, slot;
    const size_t size = block_size(block, &head, &slot);
    struct page *page = &arena.page[head];
    if (page->kind == RUN_LARGE) {
        page->unasked = (uint32_t)(size - asked);
    } else if (asked < size) {
        page->spare[slot / 64] |= 1ull << (slot % 64);
        write_spare(block + size, size - asked);
    }
}

/* The block's bytes that nobody asked for are zero, and count as asked for. */
static void forget_asked(char *block, size_t size, uint32_t head, uint32_t slot) {
    struct page *page = &arena.page[head];
    if (page->kind == RUN_SLAB && slot_has(page->spare, slot))
        memset(block + size - spare_of(block, size, head, slot), 0, spare_of(block, size, head, slot));
    page->spare[slot / 64] &= ~(1ull << (slot % 64));
    page->unasked = 0;
}

size_t arena_room(const void *address) {
    if (!ours(address))
        return SIZE_MAX;
    uint32_t head = page_of(address), slot;
    if (arena.page[head].kind == RUN_INSIDE)
        head -= arena.page[head].length;
    size_t offset = (size_t)((const char *)address - page_address(head));
    if (arena.page[head].kind == RUN_SLAB)
        offset %= arena_class_size(arena.page[head].class_number);
    const char *block = (const char *)address - offset;
    size_t size = block_size(block, &head, &slot);
    if (size == 0)
        return SIZE_MAX;
    size -= spare_of(block, size, head, slot);
    return offset < size ? size - offset : 0;
}

bool arena_is_free(const void *address) {
    const char *at = address;
    return arena.page && at >= ARENA_AT && at < ARENA_AT + ARENA_BYTES && arena_room(address) == SIZE_MAX;
}

/* The block's place is free again, its content still there. */
static void release(uint32_t head, uint32_t slot) {
    struct page *page = &arena.page[head];
    if (page->kind == RUN_LARGE) {
        release_run(head);
        return;
    }
    bool was_full = page->used == slots_of(page->class_number, page->length);
    page->taken[slot / 64] &= ~(1ull << (slot % 64));
    page->spare[slot / 64] &= ~(1ull << (slot % 64));
    page->used--;
    if (arena.home[page->class_number] == head)
        return;
    if (was_full)
        list_insert(head);
    if (page->used == 0) {
        list_remove(head);
        release_run(head);
    }
}

/* Notes who asked for a block, if anybody wants to know. */
static void note(const void *block, size_t asked, const void *caller) {
    uint32_t head, slot;
    if (allocation_log_kept())
        allocation_log_add((size_t)((const char *)block - ARENA_AT), block_size(block, &head, &slot), asked, caller);
}

static void give_back(uint32_t head, uint32_t slot) {
    const struct page *page = &arena.page[head];
    size_t size = arena_class_size(page->class_number);
    if (page->kind == RUN_LARGE)
        zero_pages(head, page->length);
    else
        memset(page_address(head) + slot * size, 0, size);
    release(head, slot);
}

/* What a block takes: where it ends none begins, as no program expects it of blocks. One that puts buffers together which it finds
 * to be next to each other must not come to do so with blocks. */
static size_t room_for(size_t asked) { return asked < SIZE_MAX ? asked + 1 : asked; }

static uint32_t pages_for(size_t size) { return size ? (uint32_t)((size + PAGE_BYTES - 1) / PAGE_BYTES) : 1; }

static void *take_block(size_t size, size_t align) {
    if (size <= SMALL_MAX && align <= PAGE_BYTES)
        return take_slot(class_of(size));
    uint32_t run = take_run(pages_for(size), align > PAGE_BYTES ? (uint32_t)(align / PAGE_BYTES) : 1, RUN_LARGE);
    return run ? page_address(run) : NULL;
}

/* Whoever asks in an MPI call is no part of the program, but its callbacks. */
static bool runs_program(void) { return arena.after_message && caller_frame == 0; }

/* For the program itself, not for what the C library needs once, the buffer of a stream? */
static bool is_programs(const void *caller) { return runs_program() && !call_site_is_libc((uint64_t)(uintptr_t)caller); }

static void *take_programs_block(size_t size, size_t align) {
    arena.grown++;
    void *taken = size <= SMALL_MAX && align <= PAGE_BYTES ? take_home_slot(class_of(size)) : NULL;
    return taken ? taken : take_block(size, align);
}

void arena_make_homes(void) {
    size_t size;
    arena.limit += HOME_PAGES;
    for (unsigned class_number = 0; (size = arena_class_size(class_number)) <= HOMES_TO; class_number++) {
        const size_t slots = size <= FULL_HOMES_TO ? HOME_SLOTS : FEWER_SLOTS;
        const uint32_t slab = take_run(pages_for(slots * size), 1, RUN_SLAB);
        if (slab)
            arena.page[slab].class_number = (uint8_t)class_number;
        arena.home[class_number] = slab;
    }
}

void arena_place_by(uint64_t first, uint64_t second) {
    arena.after_message = true;
    arena.placed = 0;
    arena.grown = 0;
    arena.place[0] = first;
    arena.place[1] = second;
}

bool arena_place_low(void) {
    if (!arena.after_message)
        return false;
    const bool has_grown = arena.grown > 0;
    arena_place_by(0, 0); /* which leaves no trace */
    arena.after_message = false;
    return has_grown;
}

static void enter(void) {
    lock();
    if (!arena.page)
        set_up();
}

static void *leave_with(void *block, size_t asked, const void *caller) {
    if (block)
        note(block, asked, caller);
    else
        arena.refused = asked;
    unlock();
    return block;
}

static void *allocate(size_t asked, size_t align, const void *caller) {
    if (asked > ARENA_BYTES)
        return NULL;
    enter();
    size_t size = room_for(asked);
    if (align > 16 && align <= PAGE_BYTES && size < SMALL_MAX) {
        /* Slots of a power of two are aligned to it. */
        size_t slot = size > align ? size : align;
        size = (size_t)1 << (64 - __builtin_clzll(slot - 1));
    }
    void *taken = is_programs(caller) ? take_programs_block(size, align) : take_block(size, align);
    if (taken)
        note_asked(taken, asked);
    void *block = leave_with(taken, asked, caller);
    if (!block)
        errno = ENOMEM;
    return block;
}

size_t arena_refused(void) { return arena.refused; }
uint64_t arena_most(void) { return (uint64_t)arena.limit * PAGE_BYTES; }

void arena_limit(uint64_t bytes) {
    uint64_t pages = bytes / PAGE_BYTES + 1;
    if (pages < arena.limit)
        arena.limit = pages > arena.top ? (uint32_t)pages : arena.top;
}

struct arena_bounds arena_bounds(void) {
    const uint32_t end = arena.limit + (arena.home[0] ? 0 : HOME_PAGES);
    return (struct arena_bounds){.descriptors = (uintptr_t)DESCRIPTORS_AT,
                                 .descriptors_end = (uintptr_t)DESCRIPTORS_AT + descriptors_bytes(end),
                                 .descriptors_used = (uintptr_t)&arena.page[arena.top],
                                 .pages = (uintptr_t)ARENA_AT,
                                 .pages_end = (uintptr_t)page_address(end),
                                 .pages_used = (uintptr_t)page_address(arena.top)};
}

void *arena_map(size_t bytes) {
    if (bytes > ARENA_BYTES)
        return NULL;
    enter();
    uint32_t run = take_run(pages_for(bytes), 1, RUN_LARGE);
    return leave_with(run ? page_address(run) : NULL, bytes, __builtin_return_address(0));
}

/* MPI may have the memory, which is told before the place is another one's. */
static void note_lent_freed(uintptr_t from, uintptr_t to) {
    pending_buffers_note_freed(from, to);
    lent_memory_note_freed(from, to);
}

static void note_freed(const void *block, size_t size) {
    const uintptr_t from = (uintptr_t)block;
    note_lent_freed(from, from + size);
    page_rights_forget(from, from + size);
}

/* False if no block starts there. */
static bool free_block(void *address) {
    uint32_t head, slot;
    lock();
    size_t size = block_size(address, &head, &slot);
    if (size) {
        note_freed(address, size);
        give_back(head, slot);
        arena.grown -= runs_program();
    }
    unlock();
    return size != 0;
}

/* Pages of one large run are free again; what is left of it on either side is a run of its own. */
static void cut(uint32_t head, uint32_t start, uint32_t end) {
    uint32_t run_end = head + arena.page[head].length;
    note_freed(page_address(start), (end - start) * (size_t)PAGE_BYTES);
    zero_pages(start, end - start);
    if (head < start)
        claim(head, start - head, RUN_LARGE);
    if (end < run_end)
        claim(end, run_end - end, RUN_LARGE);
    release_pages(start, end - start);
}

bool arena_unmap(void *address, size_t bytes) {
    lock();
    const bool is_ours = ours(address);
    if (!is_ours)
        note_lent_freed((uintptr_t)address, (uintptr_t)address + bytes);
    uint32_t at = is_ours ? page_of(address) : arena.top;
    const uint64_t end = at + (uint64_t)pages_for(bytes);
    while (at < end && at < arena.top) {
        uint32_t head = arena.page[at].kind == RUN_INSIDE ? at - arena.page[at].length : at;
        uint32_t run_end = arena.page[head].kind == RUN_NONE ? at + 1 : head + arena.page[head].length;
        uint32_t stop = run_end < end ? run_end : (uint32_t)end;
        if (arena.page[head].kind == RUN_LARGE)
            cut(head, at, stop);
        at = stop;
    }
    unlock();
    return is_ours;
}

PUBLIC void *malloc(size_t size) { return allocate(size, 16, __builtin_return_address(0)); }

/* As libc does. No block is from before this library was there: the program is linked against libc's functions, which these are. */
_Noreturn static void invalid_pointer(const char *message) {
    (void)!write(2, message, strlen(message));
    abort();
}

PUBLIC void free(void *block) {
    if (block && !free_block(block))
        invalid_pointer("free(): invalid pointer\n");
}

PUBLIC void *calloc(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return allocate(bytes, 16, __builtin_return_address(0)); /* free memory is zero */
}

/* Free memory reads as zeros. Pages of large blocks that were never written stay without memory. */
static void zero_range(char *start, char *end) {
    for (char *at = start; at < end;) {
        char *next = (char *)(((uintptr_t)at / PAGE_BYTES + 1) * PAGE_BYTES);
        next = next < end ? next : end;
        if (next - at < PAGE_BYTES || !is_zero(at))
            memset(at, 0, (size_t)(next - at));
        at = next;
    }
}

/* Is a run of any length sure to be found, even if only at the end? */
static bool surely_fits(size_t asked) {
    return asked <= ARENA_BYTES &&
           arena.top + (uint64_t)pages_for(room_for(asked)) + slab_pages(ARENA_CLASSES - 1) <= arena.limit;
}

/* To where it would lie had the old block never been. The two may overlap. */
static void *move_block(char *old, size_t old_size, uint32_t head, uint32_t slot, size_t asked) {
    size_t kept = old_size < asked ? old_size : asked;
    char *old_end = old + old_size;
    release(head, slot);
    char *moved = take_block(room_for(asked), 16);
    if (moved != old)
        memmove(moved, old, kept);
    char *moved_end = moved + kept;
    zero_range(old, old_end < moved ? old_end : moved > old ? moved : old);
    zero_range(old > moved_end ? old : moved_end, old_end);
    return moved;
}

/* Would a new block of this size be of the same class, or as many pages? */
static bool same_kind(uint32_t head, size_t asked) {
    const struct page *page = &arena.page[head];
    const size_t size = room_for(asked);
    if (page->kind == RUN_LARGE)
        return size > SMALL_MAX && pages_for(size) == page->length;
    return size <= SMALL_MAX && class_of(size) == page->class_number;
}

static void *cut_short(char *block, size_t old, size_t size) {
    if (size < old)
        zero_range(block + size, block + old);
    return block;
}

static void *resize(void *block, size_t size, const void *caller) {
    if (!block)
        return allocate(size, 16, caller);
    if (size == 0) {
        free(block);
        return NULL;
    }
    uint32_t head, slot;
    const size_t old = block_size(block, &head, &slot);
    if (!old)
        invalid_pointer("realloc(): invalid pointer\n");
    const size_t had = old - spare_of(block, old, head, slot);
    if (same_kind(head, size) || surely_fits(size)) {
        lock();
        note_freed(block, old); /* also where it stays: elsewhere it might have moved */
        forget_asked(block, old, head, slot);
        void *resized = same_kind(head, size) ? cut_short(block, old, size) : move_block(block, old, head, slot, size);
        note_asked(resized, size);
        note(resized, size, caller);
        unlock();
        return resized;
    }
    void *moved = allocate(size, 16, caller);
    if (!moved)
        return NULL;
    memcpy(moved, block, had < size ? had : size);
    free(block);
    return moved;
}

PUBLIC void *realloc(void *block, size_t size) { return resize(block, size, __builtin_return_address(0)); }

PUBLIC void *reallocarray(void *block, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return resize(block, bytes, __builtin_return_address(0));
}

static bool power_of_two(size_t n) { return n && (n & (n - 1)) == 0; }

PUBLIC int posix_memalign(void **block, size_t align, size_t size) {
    if (!power_of_two(align) || align % sizeof(void *) != 0)
        return EINVAL;
    void *made = allocate(size, align, __builtin_return_address(0));
    if (!made)
        return ENOMEM;
    *block = made;
    return 0;
}

static void *allocate_aligned(size_t align, size_t size, const void *caller) {
    if (!power_of_two(align)) {
        errno = EINVAL;
        return NULL;
    }
    return allocate(size, align, caller);
}

PUBLIC void *memalign(size_t align, size_t size) { return allocate_aligned(align, size, __builtin_return_address(0)); }
PUBLIC void *aligned_alloc(size_t align, size_t size) { return allocate_aligned(align, size, __builtin_return_address(0)); }
PUBLIC void *valloc(size_t size) { return allocate(size, PAGE_BYTES, __builtin_return_address(0)); }
PUBLIC void *pvalloc(size_t size) {
    return allocate((size + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES, PAGE_BYTES, __builtin_return_address(0));
}

PUBLIC size_t malloc_usable_size(void *block) {
    uint32_t head, slot;
    size_t size = block ? block_size(block, &head, &slot) : 0;
    return size ? size - spare_of(block, size, head, slot) : 0;
}
