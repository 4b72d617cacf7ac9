#include "explorer/containers/name_set.h"

#include "explorer/containers/mixed_number.h"
#include "explorer/containers/page_storage.h"
#include "explorer/containers/search_storage.h"

#include <stdatomic.h>

enum {
    FIRST_SLOTS = 4096,
    NARROW_FROM = 1 << 14, /* names: below, memory does not matter */
    STRAYS_MOST = 16,      /* one in so many may be wide before the narrow table is made anew */
    LOW_BITS = 22,
    DISTANCES = 255, /* places where a name may be, from its home on */
    MARK_BITS = 2,
    DISTANCE_BITS = 8,
    RELEASED_BYTES = 2 << 20, /* of an old table are given back at a time */
};

static const uint32_t LOW = (1u << LOW_BITS) - 1;

/* How the names of a narrow table are packed; bits of each part. */
struct packing {
    unsigned left, right;
};

struct narrow {
    _Atomic uint32_t *slot; /* homes + DISTANCES of them; NULL: there is no such table */
    size_t homes;
    struct packing packing;
};

struct wide {
    _Atomic uint64_t *slot;
    size_t slots;
};

struct name_set {
    struct narrow narrow;
    struct wide wide;
    char apart[CACHE_LINE];
    _Atomic size_t count; /* of all */
    char apart_too[CACHE_LINE];
    _Atomic size_t wides; /* of those in wide slots */
    char apart_from_others[CACHE_LINE];
};

/* ---- names as small numbers ---- */

enum { KIND_BITS = 2 };

static uint64_t left_of(uint64_t name) { return name >> (NAME_NUMBER_BITS + KIND_BITS + MARK_BITS); }
static uint64_t right_of(uint64_t name) { return name >> (KIND_BITS + MARK_BITS) & ((1u << NAME_NUMBER_BITS) - 1); }

static unsigned bits_of(struct packing packing) { return packing.left + packing.right + KIND_BITS; }

static bool is_packable(struct packing packing, uint64_t name) {
    return !(left_of(name) >> packing.left) && !(right_of(name) >> packing.right);
}

static uint64_t pack(struct packing packing, uint64_t name) {
    uint64_t kind = name >> MARK_BITS & 3;
    return (left_of(name) << packing.right | right_of(name)) << KIND_BITS | kind;
}

static uint64_t unpack(struct packing packing, uint64_t packed) {
    uint64_t kind = packed & 3, numbers = packed >> KIND_BITS;
    uint64_t left = numbers >> packing.right, right = numbers & (((uint64_t)1 << packing.right) - 1);
    return ((left << NAME_NUMBER_BITS | right) << KIND_BITS | kind) << MARK_BITS;
}

/* A bijection of numbers of so many bits. To shift by half of the bits or more and add without carry is its own inverse, and an odd
 * factor has an inverse modulo 2^64: so with the inverse factors in reverse order it is the inverse. */
static uint64_t shuffle(uint64_t x, unsigned bits, uint64_t first, uint64_t second) {
    uint64_t mask = ((uint64_t)1 << bits) - 1;
    unsigned half = (bits + 1) / 2;
    x ^= x >> half;
    x = x * first & mask;
    x ^= x >> half;
    x = x * second & mask;
    return x ^ x >> half;
}

static uint64_t scramble(uint64_t x, unsigned bits) { return shuffle(x, bits, 0x9fb21c651e98df25u, 0x9e3779b97f4a7c15u); }
static uint64_t unscramble(uint64_t x, unsigned bits) { return shuffle(x, bits, 0xf1de83e19937733du, 0x02ab9c720d1024adu); }

/* ---- narrow slots ---- */

static size_t home_of(const struct narrow *narrow, uint64_t hash) {
    return (size_t)((unsigned __int128)hash * narrow->homes >> bits_of(narrow->packing));
}

/* The first hash that is at home there. */
static uint64_t first_hash(const struct narrow *narrow, size_t home) {
    unsigned __int128 scaled = (unsigned __int128)home << bits_of(narrow->packing);
    return (uint64_t)((scaled + narrow->homes - 1) / narrow->homes);
}

/* Are the low bits enough to tell apart what is at home in one place? */
static bool is_enough(struct packing packing, size_t homes) {
    unsigned bits = bits_of(packing);
    return bits <= LOW_BITS || homes >> (bits - LOW_BITS);
}

static uint32_t narrow_entry(uint64_t hash, unsigned distance) {
    return (uint32_t)(hash & LOW) << (DISTANCE_BITS + MARK_BITS) | (distance + 1) << MARK_BITS;
}

/* The name in a slot, with its marks. */
static uint64_t narrow_name(const struct narrow *narrow, size_t place, uint32_t entry) {
    size_t home = place + 1 - (entry >> MARK_BITS & ((1u << DISTANCE_BITS) - 1));
    uint64_t first = first_hash(narrow, home), low = entry >> (DISTANCE_BITS + MARK_BITS);
    uint64_t hash = first + ((low - first) & LOW);
    return unpack(narrow->packing, unscramble(hash, bits_of(narrow->packing))) | (entry & NAME_MARKS);
}

/* A slot that was found for a name: the one that holds it, or would. */
struct found {
    _Atomic uint32_t *narrow; /* NULL: it is the other */
    _Atomic uint64_t *wide;
    uint32_t entry; /* of a narrow slot, what it would hold */
    bool there;
    unsigned marks;
};

/* False: it must be in a wide slot, if anywhere. */
static bool find_narrow(const struct narrow *narrow, uint64_t name, struct found *found) {
    if (!narrow->slot || !is_packable(narrow->packing, name))
        return false;
    uint64_t hash = scramble(pack(narrow->packing, name), bits_of(narrow->packing));
    _Atomic uint32_t *slot = narrow->slot + home_of(narrow, hash);
    for (unsigned distance = 0; distance < DISTANCES; distance++, slot++) {
        uint32_t entry = narrow_entry(hash, distance), there = atomic_load_explicit(slot, memory_order_acquire);
        if (there && (there & ~(uint32_t)NAME_MARKS) != entry)
            continue;
        *found = (struct found){.narrow = slot, .entry = entry, .there = there, .marks = there & NAME_MARKS};
        return true;
    }
    return false;
}

/* ---- wide slots ---- */

static size_t wide_place(const struct wide *wide, uint64_t name) {
    return (size_t)((unsigned __int128)mixed_number(name) * wide->slots >> 64);
}

static struct found find_wide(const struct wide *wide, uint64_t name) {
    for (size_t i = wide_place(wide, name);; i = i + 1 == wide->slots ? 0 : i + 1) {
        uint64_t there = atomic_load_explicit(&wide->slot[i], memory_order_acquire);
        if (!there || (there & ~(uint64_t)NAME_MARKS) == name)
            return (struct found){.wide = &wide->slot[i], .there = there, .marks = there & NAME_MARKS};
    }
}

/* ---- both ---- */

static struct found find(const struct name_set *set, uint64_t name) {
    struct found found;
    return find_narrow(&set->narrow, name, &found) ? found : find_wide(&set->wide, name);
}

/* False: somebody else has taken the slot. */
static bool occupy(struct name_set *set, const struct found *found, uint64_t name, unsigned marks) {
    uint32_t free_narrow = 0;
    uint64_t free_wide = 0;
    if (found->narrow)
        return atomic_compare_exchange_strong(found->narrow, &free_narrow, found->entry | marks);
    if (!atomic_compare_exchange_strong(found->wide, &free_wide, name | marks))
        return false;
    atomic_fetch_add_explicit(&set->wides, 1, memory_order_relaxed);
    return true;
}

/* Slots are never freed, so whoever looks for a name comes by all that were taken before it. */
static bool insert(struct name_set *set, uint64_t name, unsigned marks) {
    for (;;) {
        struct found found = find(set, name);
        if (found.there)
            return false;
        if (!occupy(set, &found, name, marks))
            continue; /* taken meanwhile: look again */
        atomic_fetch_add_explicit(&set->count, 1, memory_order_relaxed);
        return true;
    }
}

bool name_set_add(struct name_set *set, uint64_t name) { return insert(set, name, 0); }

bool name_set_has(const struct name_set *set, uint64_t name) { return find(set, name).there; }

void name_set_prefetch(const struct name_set *set, uint64_t name) {
    const struct narrow *narrow = &set->narrow;
    if (!narrow->slot || !is_packable(narrow->packing, name)) {
        __builtin_prefetch((const void *)&set->wide.slot[wide_place(&set->wide, name)]);
        return;
    }
    uint64_t hash = scramble(pack(narrow->packing, name), bits_of(narrow->packing));
    __builtin_prefetch((const void *)&narrow->slot[home_of(narrow, hash)]);
}

unsigned name_set_mark(struct name_set *set, uint64_t name, unsigned marks) {
    struct found found = find(set, name);
    if ((found.marks & marks) == marks)
        return found.marks;
    if (found.narrow)
        return atomic_fetch_or(found.narrow, marks) & NAME_MARKS;
    return (unsigned)atomic_fetch_or(found.wide, marks) & NAME_MARKS;
}

unsigned name_set_marks(const struct name_set *set, uint64_t name) { return find(set, name).marks; }

/* ---- places ---- */

static size_t narrow_places(const struct narrow *narrow) { return narrow->slot ? narrow->homes + DISTANCES : 0; }

size_t name_set_places(const struct name_set *set) { return narrow_places(&set->narrow) + set->wide.slots; }

uint64_t name_set_at(const struct name_set *set, size_t place) {
    size_t narrow_ones = narrow_places(&set->narrow);
    if (place >= narrow_ones)
        return atomic_load_explicit(&set->wide.slot[place - narrow_ones], memory_order_relaxed);
    uint32_t entry = atomic_load_explicit(&set->narrow.slot[place], memory_order_relaxed);
    return entry ? narrow_name(&set->narrow, place, entry) : 0;
}

size_t name_set_place(const struct name_set *set, uint64_t name) {
    struct found found = find(set, name);
    return found.narrow ? (size_t)(found.narrow - set->narrow.slot)
                        : narrow_places(&set->narrow) + (size_t)(found.wide - set->wide.slot);
}

/* ---- room ---- */

/* What the tables are to be like. */
struct plan {
    struct packing packing;
    size_t homes; /* 0: no narrow table */
    size_t wide_slots;
};

static bool fits(size_t used, size_t more, size_t slots) { return used + more <= slots / 5 * 4; }

static size_t enough_slots(size_t used, size_t more, size_t slots) {
    while (!fits(used, more, slots))
        slots += slots / 4;
    return slots;
}

size_t name_set_count(const struct name_set *set) { return atomic_load_explicit(&set->count, memory_order_relaxed); }

static size_t wide_count(const struct name_set *set) { return atomic_load_explicit(&set->wides, memory_order_relaxed); }

static bool narrow_fits(const struct name_set *set, size_t more) {
    return !set->narrow.slot || fits(name_set_count(set) - wide_count(set), more, set->narrow.homes);
}

bool name_set_has_room(const struct name_set *set, size_t names) {
    return fits(wide_count(set), names, set->wide.slots) && narrow_fits(set, names);
}

static unsigned bits_for(uint64_t number, unsigned bits) {
    while (number >> bits)
        bits++;
    return bits;
}

/* So that all names there are can be packed. */
static struct packing packing_for(const struct name_set *set) {
    uint64_t left = 1, right = 1;
    for (size_t i = 0; i < set->wide.slots; i++) {
        uint64_t name = atomic_load_explicit(&set->wide.slot[i], memory_order_relaxed);
        left = left_of(name) > left ? left_of(name) : left;
        right = right_of(name) > right ? right_of(name) : right;
    }
    return (struct packing){bits_for(left, set->narrow.packing.left), bits_for(right, set->narrow.packing.right)};
}

static bool same_packing(struct packing a, struct packing b) { return a.left == b.left && a.right == b.right; }

static struct plan plan_room(const struct name_set *set, size_t names) {
    size_t count = name_set_count(set), wides = wide_count(set);
    const struct narrow *narrow = &set->narrow;
    struct plan plan = {narrow->packing, narrow->homes, enough_slots(wides, names, set->wide.slots)};
    bool wide_crowded = plan.wide_slots > set->wide.slots && wides > count / STRAYS_MOST;
    if (count < NARROW_FROM || (narrow_fits(set, names) && !wide_crowded))
        return plan;
    if (wide_crowded)
        plan.packing = packing_for(set);
    plan.homes = enough_slots(count, names, narrow->homes ? narrow->homes : FIRST_SLOTS);
    if (wide_crowded && narrow->slot && same_packing(plan.packing, narrow->packing) && plan.homes == narrow->homes)
        plan.homes += plan.homes / 4; /* too many are far from home */
    if (is_enough(plan.packing, plan.homes))
        plan.wide_slots = wide_crowded ? enough_slots(0, names, FIRST_SLOTS) : plan.wide_slots;
    else
        plan = (struct plan){.wide_slots = enough_slots(count, names, set->wide.slots)};
    return plan;
}

static struct narrow new_narrow(const struct plan *plan) {
    struct narrow narrow = {.packing = plan->packing, .homes = plan->homes};
    if (plan->homes)
        narrow.slot = page_storage_new((plan->homes + DISTANCES) * sizeof *narrow.slot);
    return narrow;
}

static struct wide new_wide(size_t slots) { return (struct wide){page_storage_new(slots * sizeof(uint64_t)), slots}; }

static size_t narrow_bytes(const struct narrow *narrow) { return narrow_places(narrow) * sizeof *narrow->slot; }
static size_t wide_bytes(const struct wide *wide) { return wide->slots * sizeof *wide->slot; }

/* Room for strays has been planned by guess: there may be more of them. */
static void reinsert(struct name_set *set, uint64_t entry) {
    if (!fits(wide_count(set), 1, set->wide.slots)) {
        struct wide old = set->wide;
        set->wide = new_wide(enough_slots(wide_count(set), FIRST_SLOTS, old.slots));
        for (size_t i = 0; i < old.slots; i++) {
            uint64_t moved = atomic_load_explicit(&old.slot[i], memory_order_relaxed);
            if (moved)
                atomic_store_explicit(find_wide(&set->wide, moved & ~(uint64_t)NAME_MARKS).wide, moved, memory_order_relaxed);
        }
        page_storage_free((void *)old.slot, wide_bytes(&old));
    }
    insert(set, entry & ~(uint64_t)NAME_MARKS, entry & NAME_MARKS);
}

/* Old slots from the `i`-th on are not needed any more. */
static void release_from(void *slots, size_t i, size_t end, size_t slot_bytes) {
    if (i * slot_bytes % RELEASED_BYTES == 0)
        page_storage_release((char *)slots + i * slot_bytes,
                             (end - i) * slot_bytes < RELEASED_BYTES ? (end - i) * slot_bytes : RELEASED_BYTES);
}

/* From its end on, whose memory is given back on the way: a larger table with the same packing fills up from its end too, so that
 * both together take little more than the larger one. */
static void empty_narrow(struct name_set *set, const struct narrow *old) {
    size_t end = narrow_places(old);
    for (size_t i = end; i-- > 0; release_from((void *)old->slot, i, end, sizeof *old->slot)) {
        uint32_t entry = atomic_load_explicit(&old->slot[i], memory_order_relaxed);
        if (entry)
            reinsert(set, narrow_name(old, i, entry));
    }
    page_storage_free((void *)old->slot, narrow_bytes(old));
}

static void empty_wide(struct name_set *set, const struct wide *old) {
    for (size_t i = old->slots; i-- > 0; release_from((void *)old->slot, i, old->slots, sizeof *old->slot)) {
        uint64_t entry = atomic_load_explicit(&old->slot[i], memory_order_relaxed);
        if (entry)
            reinsert(set, entry);
    }
    page_storage_free((void *)old->slot, wide_bytes(old));
}

static bool renews_narrow(const struct name_set *set, const struct plan *plan) {
    return plan->homes != set->narrow.homes || !same_packing(plan->packing, set->narrow.packing);
}

static void carry_out(struct name_set *set, const struct plan *plan) {
    struct narrow old_narrow = set->narrow;
    struct wide old_wide = set->wide;
    bool renewed = renews_narrow(set, plan);
    atomic_store(&set->count, renewed ? 0 : name_set_count(set) - wide_count(set));
    atomic_store(&set->wides, 0);
    set->wide = new_wide(plan->wide_slots);
    if (renewed) {
        set->narrow = new_narrow(plan);
        empty_narrow(set, &old_narrow);
    }
    empty_wide(set, &old_wide);
}

/* More than once if more of them have to be wide than was thought. */
void name_set_make_room(struct name_set *set, size_t names) {
    while (!name_set_has_room(set, names)) {
        const struct plan plan = plan_room(set, names);
        carry_out(set, &plan);
    }
}

uint64_t name_set_growth(const struct name_set *set, size_t names) {
    const struct plan plan = plan_room(set, names);
    uint64_t old = narrow_bytes(&set->narrow) + wide_bytes(&set->wide);
    uint64_t bytes = plan.wide_slots * sizeof *set->wide.slot;
    if (plan.homes)
        bytes += (plan.homes + DISTANCES) * sizeof *set->narrow.slot;
    bool beside = !same_packing(plan.packing, set->narrow.packing); /* then the old ones are not given back in order */
    return beside ? bytes : bytes > old ? bytes - old : 0;
}

/* ---- life ---- */

struct name_set *name_set_create(void) {
    struct name_set *set = storage_new_apart(1, sizeof *set);
    set->wide = new_wide(FIRST_SLOTS);
    return set;
}

void name_set_destroy(struct name_set *set) {
    if (!set)
        return;
    page_storage_free((void *)set->narrow.slot, narrow_bytes(&set->narrow));
    page_storage_free((void *)set->wide.slot, wide_bytes(&set->wide));
    free(set);
}

uint64_t name_set_memory(const struct name_set *set) { return narrow_bytes(&set->narrow) + wide_bytes(&set->wide); }

/* ---- kept in a file ---- */

struct name_set_head {
    uint64_t homes, wide_slots, count, wides;
    uint32_t left, right;
};

void name_set_save(const struct name_set *set, FILE *out) {
    const struct narrow *narrow = &set->narrow;
    const struct name_set_head head = {narrow->homes,   set->wide.slots,      name_set_count(set),
                                       wide_count(set), narrow->packing.left, narrow->packing.right};
    fwrite(&head, sizeof head, 1, out);
    if (narrow->slot)
        fwrite((const void *)narrow->slot, sizeof *narrow->slot, narrow_places(narrow), out);
    fwrite((const void *)set->wide.slot, sizeof *set->wide.slot, set->wide.slots, out);
}

static bool read_slots(struct name_set *set, FILE *in) {
    size_t narrow_ones = narrow_places(&set->narrow);
    return (!narrow_ones || fread((void *)set->narrow.slot, sizeof *set->narrow.slot, narrow_ones, in) == narrow_ones) &&
           fread((void *)set->wide.slot, sizeof *set->wide.slot, set->wide.slots, in) == set->wide.slots;
}

struct name_set *name_set_read(FILE *in) {
    struct name_set_head head;
    if (fread(&head, sizeof head, 1, in) != 1 || head.left > NAME_NUMBER_BITS || head.right > NAME_NUMBER_BITS)
        return NULL;
    const struct plan plan = {{head.left, head.right}, head.homes, head.wide_slots};
    struct name_set *set = storage_new_apart(1, sizeof *set);
    set->narrow = new_narrow(&plan);
    set->wide = new_wide(plan.wide_slots);
    atomic_store(&set->count, head.count);
    atomic_store(&set->wides, head.wides);
    if (read_slots(set, in))
        return set;
    name_set_destroy(set);
    return NULL;
}
