#include "ckpt/block_store.h"

#include "ckpt/raw_syscall.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { BUCKETS = 1 << 20, SEGMENT_BLOCKS = 256, CHAIN_MOST = 1 << 16 };
/* The newest segments stay: some of their blocks are being written. */
enum { SEGMENTS_TO_KEEP = 16 };

struct entry {
    struct block_name name;
    uint32_t next;        /* entry below in the bucket, 0 = end */
    _Atomic uint32_t era; /* in which it was put last, or below; 0: it is just being put, or whoever did that died */
};
enum { ERA_FORGETTING = UINT32_MAX - 1, ERA_FORGOTTEN = UINT32_MAX };

struct segment {
    _Atomic uint8_t spilled;    /* its content is in the file */
    _Atomic uint8_t read;       /* since the hand last passed */
    _Atomic uint16_t forgotten; /* so many blocks */
};

struct block_store {
    uint32_t block_size;
    uint32_t capacity;
    uint32_t keeping;                          /* enum block_keeping */
    int32_t spill;                             /* descriptor, or -1 */
    size_t entries_at, segments_at, blocks_at; /* offsets from the store */
    struct block_name zero_name;
    _Alignas(4096) _Atomic uint32_t used; /* entries handed out */
    _Atomic uint32_t spilled;             /* segments in the file */
    _Atomic uint32_t forgotten;           /* blocks whose content is not kept any more */
    _Atomic uint32_t era;                 /* from 1 */
    uint32_t hand;                        /* the segment to be looked at next for spilling, as in the clock algorithm */
    _Atomic uint32_t bucket[BUCKETS];
};
_Static_assert(offsetof(struct block_store, used) == 4096, "constants fill the first page");

static size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

static size_t entries_offset(void) { return round_up(sizeof(struct block_store), 4096); }

static size_t segments_offset(uint32_t capacity) {
    return round_up(entries_offset() + (size_t)capacity * sizeof(struct entry), 4096);
}

static size_t blocks_offset(uint32_t capacity) {
    return round_up(segments_offset(capacity) + ((size_t)capacity / SEGMENT_BLOCKS + 1) * sizeof(struct segment), 4096);
}

static struct entry *entry_at(const struct block_store *store, uint32_t block) {
    return (struct entry *)((char *)store + store->entries_at) + block;
}

static struct segment *segment_of(const struct block_store *store, uint32_t block) {
    return (struct segment *)((char *)store + store->segments_at) + block / SEGMENT_BLOCKS;
}

static void *block_at(const struct block_store *store, uint32_t block) {
    return (char *)store + store->blocks_at + (size_t)block * store->block_size;
}

size_t block_store_bytes(uint32_t block_size, uint32_t capacity, enum block_keeping keeping) {
    size_t content = keeping == KEEP_CONTENT ? (size_t)capacity * block_size : 0;
    return round_up(blocks_offset(capacity) + content, 4096);
}

struct block_store *block_store_format(void *region, uint32_t block_size, uint32_t capacity, enum block_keeping keeping) {
    static const char zeros[4096];
    struct block_store *store = region;
    store->keeping = keeping;
    store->block_size = block_size;
    store->capacity = capacity;
    store->entries_at = entries_offset();
    store->segments_at = segments_offset(capacity);
    store->blocks_at = blocks_offset(capacity);
    store->spill = -1;
    store->zero_name = block_name(zeros, block_size);
    entry_at(store, 0)->name = store->zero_name;
    atomic_store(&store->era, 1);
    atomic_store(&store->used, 1);
    return store;
}

static bool same_name(struct block_name a, struct block_name b) { return a.low == b.low && a.high == b.high; }

/* Looks in the chain from `from` down to, not including, `to`. A chain without end has been written over by the program. */
static uint32_t find(const struct block_store *store, uint32_t from, uint32_t to, struct block_name name) {
    uint32_t at = from;
    for (int length = 0; at != to && at != 0 && at < store->capacity && length < CHAIN_MOST; length++) {
        const struct entry *entry = entry_at(store, at);
        if (same_name(entry->name, name))
            return at;
        at = entry->next;
    }
    return BLOCK_NONE;
}

/* A block is put that has a number already. What was forgotten of it is kept again: two who do that at once write the same. */
static void put_again(struct block_store *store, uint32_t block, const void *content) {
    const uint32_t era = atomic_load_explicit(&store->era, memory_order_relaxed);
    _Atomic uint32_t *last = &entry_at(store, block)->era;
    for (uint32_t seen = atomic_load_explicit(last, memory_order_acquire); seen < era || seen >= ERA_FORGETTING;) {
        if (seen == ERA_FORGETTING) {
            RAW0(SYS_sched_yield);
            seen = atomic_load_explicit(last, memory_order_acquire);
            continue;
        }
        if (seen == ERA_FORGOTTEN && store->keeping == KEEP_CONTENT)
            memcpy(block_at(store, block), content, store->block_size);
        const bool again = seen == ERA_FORGOTTEN;
        if (!atomic_compare_exchange_strong(last, &seen, era))
            continue;
        if (again) {
            atomic_fetch_sub(&segment_of(store, block)->forgotten, 1);
            atomic_fetch_sub(&store->forgotten, 1);
        }
        return;
    }
}

uint32_t block_store_put(struct block_store *store, const void *content, struct block_name name) {
    if (same_name(name, store->zero_name))
        return 0;
    _Atomic uint32_t *bucket = &store->bucket[name.low % BUCKETS];
    uint32_t head = atomic_load_explicit(bucket, memory_order_acquire);
    uint32_t found = find(store, head, 0, name);
    if (found != BLOCK_NONE) {
        put_again(store, found, content);
        return found;
    }
    uint32_t fresh = atomic_fetch_add(&store->used, 1);
    if (fresh >= store->capacity) {
        atomic_fetch_sub(&store->used, 1);
        return BLOCK_NONE;
    }
    if (store->keeping == KEEP_CONTENT)
        memcpy(block_at(store, fresh), content, store->block_size);
    struct entry *entry = entry_at(store, fresh);
    entry->name = name;
    atomic_store_explicit(&entry->era, atomic_load_explicit(&store->era, memory_order_relaxed), memory_order_release);
    for (;;) {
        entry->next = head;
        uint32_t seen = head;
        if (atomic_compare_exchange_strong(bucket, &seen, fresh))
            return fresh;
        found = find(store, seen, head, name);
        if (found != BLOCK_NONE) {
            put_again(store, found, content);
            return found; /* another process was first; `fresh` is leaked, which is rare and harmless */
        }
        head = seen;
    }
}

bool block_store_restore(struct block_store *store, uint32_t block, const void *content) {
    if (block == 0 || block >= store->capacity)
        return false;
    struct entry *entry = entry_at(store, block);
    entry->name = block_name(content, store->block_size);
    _Atomic uint32_t *bucket = &store->bucket[entry->name.low % BUCKETS];
    entry->next = atomic_load(bucket);
    entry->era = atomic_load(&store->era);
    memcpy(block_at(store, block), content, store->block_size);
    atomic_store(bucket, block);
    if (atomic_load(&store->used) <= block)
        atomic_store(&store->used, block + 1);
    return true;
}

const void *block_store_get(const struct block_store *store, uint32_t block) { return block_at(store, block); }

struct block_name block_store_name(const struct block_store *store, uint32_t block) {
    return entry_at(store, block)->name;
}

uint32_t block_store_count(const struct block_store *store) {
    const uint32_t used = atomic_load(&store->used);
    return used < store->capacity ? used
                                  : store->capacity; /* more only where it was written over, or is just being found full */
}

uint64_t block_store_spilled_bytes(const struct block_store *store) {
    return (uint64_t)atomic_load(&store->spilled) * SEGMENT_BLOCKS * store->block_size;
}

uint32_t block_store_forgotten(const struct block_store *store) {
    return atomic_load_explicit(&store->forgotten, memory_order_acquire);
}

uint64_t block_store_content_bytes(const struct block_store *store) {
    if (store->keeping != KEEP_CONTENT)
        return 0;
    const uint32_t count = block_store_count(store), forgotten = block_store_forgotten(store);
    return forgotten < count ? (uint64_t)(count - forgotten) * store->block_size - block_store_spilled_bytes(store) : 0;
}

uint64_t block_store_used_bytes(const struct block_store *store) {
    return (uint64_t)block_store_count(store) * sizeof(struct entry) + block_store_content_bytes(store);
}

/* --- blocks in a file ------------------------------------------------------------------------------------------------ */

static bool named_so(const struct block_store *store, uint32_t block, const void *content) {
    return same_name(block_name(content, store->block_size), entry_at(store, block)->name);
}

bool block_store_intact(const struct block_store *store, uint32_t block) {
    return block < store->capacity && named_so(store, block, block_at(store, block));
}

static bool read_spilled(const struct block_store *store, uint32_t block, void *to) {
    long got = RAW4(SYS_pread64, store->spill, to, store->block_size, (uint64_t)block * store->block_size);
    return got == (long)store->block_size && named_so(store, block, to);
}

bool block_store_read(struct block_store *store, uint32_t block, void *to) {
    if (block >= store->capacity)
        return false;
    struct segment *segment = segment_of(store, block);
    if (!atomic_load_explicit(&segment->read, memory_order_relaxed))
        atomic_store_explicit(&segment->read, 1, memory_order_relaxed);
    if (!atomic_load_explicit(&segment->spilled, memory_order_acquire)) {
        memcpy(to, block_at(store, block), store->block_size);
        if (named_so(store, block, to))
            return true;
    }
    /* Spilled, perhaps since we looked. */
    return store->spill >= 0 && read_spilled(store, block, to);
}

void block_store_allow_spill(struct block_store *store, int descriptor) { store->spill = descriptor; }

static bool spill_segment(struct block_store *store, struct segment *segment, uint32_t number) {
    size_t bytes = (size_t)SEGMENT_BLOCKS * store->block_size;
    const char *content = block_at(store, number * SEGMENT_BLOCKS);
    for (size_t done = 0; done < bytes;) {
        long wrote = RAW4(SYS_pwrite64, store->spill, content + done, bytes - done, (uint64_t)number * bytes + done);
        if (wrote <= 0)
            return false;
        done += (size_t)wrote;
    }
    atomic_store_explicit(&segment->spilled, 1, memory_order_release);
    if (RAW3(SYS_madvise, content, bytes, MADV_REMOVE) != 0)
        return false;
    atomic_fetch_add(&store->spilled, 1);
    return true;
}

uint64_t block_store_spill(struct block_store *store, uint64_t bytes) {
    uint32_t segments = block_store_count(store) / SEGMENT_BLOCKS;
    uint64_t freed = 0;
    if (store->spill < 0 || segments <= SEGMENTS_TO_KEEP)
        return 0;
    segments -= SEGMENTS_TO_KEEP;
    for (uint32_t seen = 0; seen < 2 * segments && freed < bytes; seen++) {
        uint32_t number = store->hand++ % segments;
        struct segment *segment = segment_of(store, number * SEGMENT_BLOCKS);
        if (atomic_load(&segment->spilled) || atomic_exchange(&segment->read, 0))
            continue;
        if (!spill_segment(store, segment, number))
            break;
        freed += (uint64_t)SEGMENT_BLOCKS * store->block_size;
    }
    return freed;
}

/* --- forgetting ------------------------------------------------------------------------------------------------------ */

bool block_store_has(const struct block_store *store, uint32_t block) {
    return block < store->capacity && atomic_load_explicit(&entry_at(store, block)->era, memory_order_acquire) < ERA_FORGETTING;
}

uint32_t block_store_new_era(struct block_store *store) { return atomic_fetch_add(&store->era, 1) + 1; }

static bool claim(struct block_store *store, uint32_t block, const uint64_t *keep, uint32_t before) {
    _Atomic uint32_t *last = &entry_at(store, block)->era;
    uint32_t seen = atomic_load(last);
    return !(keep[block / 64] >> block % 64 & 1) && seen > 0 && seen < before &&
           atomic_compare_exchange_strong(last, &seen, ERA_FORGETTING);
}

/* Blocks that are claimed: others wait for us before they put them again. If the system does not take the memory, they stay. */
static uint32_t forget_run(struct block_store *store, uint32_t from, uint32_t to) {
    const bool gone = RAW3(SYS_madvise, block_at(store, from), (size_t)(to - from) * store->block_size, MADV_REMOVE) == 0;
    for (uint32_t block = from; gone && block < to; block++)
        atomic_fetch_add(&segment_of(store, block)->forgotten, 1);
    atomic_fetch_add(&store->forgotten, gone ? to - from : 0);
    for (uint32_t block = from; block < to; block++)
        atomic_store_explicit(&entry_at(store, block)->era, gone ? ERA_FORGOTTEN : 1, memory_order_release);
    return gone ? to - from : 0;
}

uint64_t block_store_forget(struct block_store *store, const uint64_t *keep, uint32_t count, uint32_t before) {
    uint64_t freed = 0;
    for (uint32_t block = 1; block < count; block++) {
        if (block % SEGMENT_BLOCKS == 0 && atomic_load(&segment_of(store, block)->forgotten) == SEGMENT_BLOCKS) {
            block += SEGMENT_BLOCKS - 1;
            continue;
        }
        const uint32_t from = block;
        while (block < count && claim(store, block, keep, before))
            block++;
        if (block > from)
            freed += forget_run(store, from, block);
    }
    return freed * store->block_size;
}
