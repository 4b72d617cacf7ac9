#include "explorer/search/state_set.h"
#include "explorer/containers/mixed_number.h"
#include "explorer/containers/name_set.h"
#include "explorer/containers/page_storage.h"
#include "explorer/containers/search_storage.h"
#include "explorer/search/state_tree.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

enum {
    FIRST_SLOTS = 4096,
    CHUNK_BITS = 16, /* pairs are kept in chunks that never move */
    CHUNK_PAIRS = 1 << CHUNK_BITS,
    CHUNKS_MOST = 1 << (30 - CHUNK_BITS),
    CACHE_SLOTS = 8192,
    RESHAPED_AT_ONCE = 1024,
};

struct state_set {
    unsigned ranks;
    struct joint *joint; /* ranks - 1 of them */

    struct name_set *names;

    _Atomic(uint64_t *) *chunk;  /* pair number p, from 1: chunk[p >> CHUNK_BITS][p & (CHUNK_PAIRS - 1)] */
    _Atomic uint32_t *pair_slot; /* a pair's number; 0: free */
    size_t pair_slots;

    char apart[CACHE_LINE];
    _Atomic uint32_t pairs;
    char apart_from_others[CACHE_LINE];
};

struct state_cache {
    uint32_t *value; /* of leaves, then of inner nodes */
    uint32_t *base;  /* the same of the state loaded last: those added next have most of it in common */
    uint32_t spare;  /* a pair number reserved and not used; 0: none */
    struct cached {
        uint64_t pair;
        uint32_t number;
    } cached[CACHE_SLOTS];
};

static size_t scale(uint64_t hash, size_t slots) { return (size_t)((unsigned __int128)hash * slots >> 64); }

/* ---- pairs ---- */

static uint64_t *chunk_of(const struct state_set *set, uint32_t number) {
    return atomic_load_explicit(&set->chunk[number >> CHUNK_BITS], memory_order_acquire);
}

static uint64_t pair_at(const struct state_set *set, uint32_t number) {
    return chunk_of(set, number)[number & (CHUNK_PAIRS - 1)];
}

static uint32_t reserve_pair(struct state_set *set, struct state_cache *cache) {
    uint32_t number = cache->spare;
    cache->spare = 0;
    if (!number)
        number = atomic_fetch_add_explicit(&set->pairs, 1, memory_order_relaxed) + 1;
    size_t at = number >> CHUNK_BITS;
    if (at >= CHUNKS_MOST)
        storage_checked(NULL);
    if (!chunk_of(set, number)) {
        uint64_t *fresh = storage_new(CHUNK_PAIRS, sizeof *fresh), *none = NULL;
        if (!atomic_compare_exchange_strong(&set->chunk[at], &none, fresh))
            free(fresh);
    }
    return number;
}

/* The number of a pair; 0 if it is not there and `add` is not set. */
static uint32_t intern_pair(struct state_set *set, struct state_cache *cache, uint64_t pair, bool add) {
    uint64_t hash = mixed_number(pair);
    struct cached *cached = &cache->cached[hash % CACHE_SLOTS];
    if (cached->pair == pair && cached->number)
        return cached->number;
    uint32_t number = 0, reserved = 0;
    for (size_t i = scale(hash, set->pair_slots); !number; i = i + 1 == set->pair_slots ? 0 : i + 1) {
        uint32_t there = atomic_load_explicit(&set->pair_slot[i], memory_order_acquire);
        if (!there && !add)
            return 0;
        if (!there && !reserved) {
            reserved = reserve_pair(set, cache);
            chunk_of(set, reserved)[reserved & (CHUNK_PAIRS - 1)] = pair;
        }
        if (!there && atomic_compare_exchange_strong(&set->pair_slot[i], &there, reserved)) {
            number = reserved;
            reserved = 0;
        } else if (pair_at(set, there) == pair) {
            number = there;
        }
    }
    if (reserved) {
        chunk_of(set, reserved)[reserved & (CHUNK_PAIRS - 1)] = 0; /* nobody is to find it there */
        cache->spare = reserved;
    }
    *cached = (struct cached){pair, number};
    return number;
}

static void grow_pairs(struct state_set *set, size_t slots) {
    page_storage_free((void *)set->pair_slot, set->pair_slots * sizeof *set->pair_slot);
    set->pair_slot = page_storage_new(slots * sizeof *set->pair_slot);
    set->pair_slots = slots;
    uint32_t last = atomic_load(&set->pairs);
    for (uint32_t number = 1; number <= last; number++) {
        uint64_t pair = pair_at(set, number);
        if (!pair)
            continue; /* spare */
        size_t i = scale(mixed_number(pair), slots);
        while (atomic_load_explicit(&set->pair_slot[i], memory_order_relaxed))
            i = i + 1 == slots ? 0 : i + 1;
        atomic_store_explicit(&set->pair_slot[i], number, memory_order_relaxed);
    }
}

/* ---- states ---- */

static state_name make_name(uint64_t left, uint64_t right, enum state_kind kind) {
    return left << 34 | right << 4 | (uint64_t)kind << 2;
}

/* Numbers of leaves are counted from 1, so that no pair and no name is 0. */
static uint64_t value_pair(const uint32_t *value, struct joint joint) {
    return (uint64_t)value[joint.left] << 32 | value[joint.right];
}

/* STATE_NONE: not there, and not to be added. */
static state_name name_state(struct state_set *set, struct state_cache *cache, const uint32_t *state, enum state_kind kind,
                             bool add) {
    uint32_t *value = cache->value;
    for (unsigned rank = 0; rank < set->ranks; rank++)
        value[rank] = state[rank] + 1;
    if (set->ranks == 1)
        return make_name(value[0], 0, kind);
    for (unsigned i = 0; i + 2 < set->ranks; i++) {
        struct joint joint = set->joint[i];
        uint64_t pair = value_pair(value, joint);
        uint32_t number =
            pair == value_pair(cache->base, joint) ? cache->base[set->ranks + i] : intern_pair(set, cache, pair, add);
        if (!number)
            return STATE_NONE;
        value[set->ranks + i] = number;
    }
    struct joint root = set->joint[set->ranks - 2];
    return make_name(value[root.left], value[root.right], kind);
}

state_name state_set_name(struct state_set *set, struct state_cache *cache, const uint32_t *state, enum state_kind kind) {
    state_name name = name_state(set, cache, state, kind, true);
    name_set_prefetch(set->names, name);
    return name;
}

bool state_set_add(struct state_set *set, state_name name) { return name_set_add(set->names, name); }

state_name state_set_find(const struct state_set *set, struct state_cache *cache, const uint32_t *state, enum state_kind kind) {
    /* Only the cache changes if nothing is to be added. */
    state_name name = name_state((struct state_set *)set, cache, state, kind, false);
    return name != STATE_NONE && name_set_has(set->names, name) ? name : STATE_NONE;
}

void state_set_load(const struct state_set *set, struct state_cache *cache, state_name name, uint32_t *state) {
    uint32_t *value = cache->base, left = (uint32_t)(name >> 34), right = (uint32_t)(name >> 4 & 0x3fffffff);
    if (set->ranks == 1) {
        state[0] = left - 1;
        return;
    }
    struct joint root = set->joint[set->ranks - 2];
    value[root.left] = left;
    value[root.right] = right;
    for (unsigned i = set->ranks - 2; i-- > 0;) {
        uint64_t pair = pair_at(set, value[set->ranks + i]);
        value[set->joint[i].left] = (uint32_t)(pair >> 32);
        value[set->joint[i].right] = (uint32_t)pair;
    }
    for (unsigned rank = 0; rank < set->ranks; rank++)
        state[rank] = value[rank] - 1;
}

bool state_set_mark(struct state_set *set, state_name name, enum state_mark mark) {
    return !(name_set_mark(set->names, name, mark) & mark);
}

bool state_set_has_mark(const struct state_set *set, state_name name, enum state_mark mark) {
    return name_set_marks(set->names, name) & mark;
}

/* ---- room ---- */

static bool pairs_fit(const struct state_set *set, size_t states, size_t slots) {
    return atomic_load_explicit(&set->pairs, memory_order_relaxed) + states * set->ranks <= slots / 5 * 4;
}

bool state_set_has_room(const struct state_set *set, size_t states) {
    return name_set_has_room(set->names, states) && pairs_fit(set, states, set->pair_slots);
}

static size_t enough_pair_slots(const struct state_set *set, size_t states) {
    size_t slots = set->pair_slots;
    while (!pairs_fit(set, states, slots))
        slots += slots / 4;
    return slots;
}

void state_set_make_room(struct state_set *set, size_t states) {
    size_t pair_slots = enough_pair_slots(set, states);
    name_set_make_room(set->names, states);
    if (pair_slots > set->pair_slots)
        grow_pairs(set, pair_slots);
}

uint64_t state_set_growth(const struct state_set *set, size_t states) {
    size_t pair_slots = enough_pair_slots(set, states);
    return name_set_growth(set->names, states) + (pair_slots - set->pair_slots) * sizeof *set->pair_slot;
}

/* ---- life ---- */

static struct state_set *create(unsigned ranks, struct name_set *names) {
    struct state_set *set = storage_new(1, sizeof *set);
    set->ranks = ranks;
    set->joint = storage_new(ranks, sizeof *set->joint);
    set->names = names;
    set->pair_slots = FIRST_SLOTS;
    set->pair_slot = page_storage_new(set->pair_slots * sizeof *set->pair_slot);
    set->chunk = storage_new(CHUNKS_MOST, sizeof *set->chunk);
    return set;
}

struct state_set *state_set_create(unsigned ranks) {
    struct state_set *set = create(ranks, name_set_create());
    state_tree_balanced(ranks, set->joint);
    return set;
}

void state_set_destroy(struct state_set *set) {
    if (!set)
        return;
    for (size_t i = 0; i <= atomic_load(&set->pairs) >> CHUNK_BITS; i++)
        free(atomic_load_explicit(&set->chunk[i], memory_order_relaxed));
    free((void *)set->chunk);
    page_storage_free((void *)set->pair_slot, set->pair_slots * sizeof *set->pair_slot);
    name_set_destroy(set->names);
    free(set->joint);
    free(set);
}

struct state_cache *state_cache_create(unsigned ranks) {
    struct state_cache *cache = storage_new(1, sizeof *cache);
    cache->value = storage_new_apart(2 * (size_t)ranks, sizeof *cache->value);
    cache->base = storage_new_apart(2 * (size_t)ranks, sizeof *cache->base);
    return cache;
}

void state_cache_destroy(struct state_cache *cache) {
    if (!cache)
        return;
    free(cache->value);
    free(cache->base);
    free(cache);
}

/* ---- reshaping ---- */

struct state_set *state_set_reshaped(const struct state_set *set) {
    size_t states = state_set_count(set), loaded = 0;
    struct state_cache *cache = state_cache_create(set->ranks), *new_cache = state_cache_create(set->ranks);
    uint32_t *state = storage_new(states * set->ranks, sizeof *state);
    uint64_t *entry = storage_new(states, sizeof *entry);
    for (size_t place = 0; place < name_set_places(set->names); place++) {
        uint64_t there = name_set_at(set->names, place);
        if (!there)
            continue;
        entry[loaded] = there;
        state_set_load(set, cache, there & ~(uint64_t)NAME_MARKS, state + loaded++ * set->ranks);
    }
    struct state_set *reshaped = create(set->ranks, name_set_create());
    state_tree_fitted(set->ranks, state, states, reshaped->joint);
    for (size_t i = 0; i < states; i++) {
        if (i % RESHAPED_AT_ONCE == 0)
            state_set_make_room(reshaped, RESHAPED_AT_ONCE); /* for all at once there would be room for far too many pairs */
        state_name name = state_set_name(reshaped, new_cache, state + i * set->ranks, state_kind(entry[i]));
        bool added = state_set_add(reshaped, name);
        assert(added);
        name_set_mark(reshaped->names, name, entry[i] & NAME_MARKS);
    }
    free(entry);
    free(state);
    state_cache_destroy(cache);
    state_cache_destroy(new_cache);
    return reshaped;
}

uint64_t state_set_reshaping(const struct state_set *set) {
    return 2 * state_set_memory(set) + state_set_count(set) * (set->ranks * sizeof(uint32_t) + 2 * sizeof(uint64_t));
}

/* ---- kept in a file ---- */

struct set_head {
    uint64_t ranks, pairs, pair_slots;
};

static size_t pairs_in_chunk(uint64_t first, uint64_t pairs) {
    return pairs - first < CHUNK_PAIRS ? pairs - first + 1 : CHUNK_PAIRS;
}

void state_set_save(const struct state_set *set, FILE *out) {
    const struct set_head head = {set->ranks, atomic_load(&set->pairs), set->pair_slots};
    fwrite(&head, sizeof head, 1, out);
    fwrite(set->joint, sizeof *set->joint, set->ranks, out);
    name_set_save(set->names, out);
    for (uint64_t first = 0; first <= head.pairs; first += CHUNK_PAIRS) {
        static const uint64_t none[CHUNK_PAIRS];
        const uint64_t *chunk = chunk_of(set, (uint32_t)first);
        fwrite(chunk ? chunk : none, sizeof *chunk, pairs_in_chunk(first, head.pairs), out);
    }
}

static bool read_pairs(struct state_set *set, uint64_t pairs, FILE *in) {
    atomic_store(&set->pairs, (uint32_t)pairs);
    for (uint64_t first = 0; first <= pairs; first += CHUNK_PAIRS) {
        uint64_t *chunk = storage_new(CHUNK_PAIRS, sizeof *chunk);
        atomic_store(&set->chunk[first >> CHUNK_BITS], chunk);
        size_t count = pairs_in_chunk(first, pairs);
        if (fread(chunk, sizeof *chunk, count, in) != count)
            return false;
    }
    return true;
}

struct state_set *state_set_read(unsigned ranks, FILE *in) {
    struct set_head head;
    if (fread(&head, sizeof head, 1, in) != 1 || head.ranks != ranks || head.pairs >> 30)
        return NULL;
    struct joint *joint = storage_new(ranks, sizeof *joint);
    struct name_set *names = fread(joint, sizeof *joint, ranks, in) == ranks ? name_set_read(in) : NULL;
    struct state_set *set = names ? create(ranks, names) : NULL;
    if (set)
        memcpy(set->joint, joint, ranks * sizeof *joint);
    free(joint);
    if (!set || !read_pairs(set, head.pairs, in)) {
        state_set_destroy(set);
        return NULL;
    }
    grow_pairs(set, head.pair_slots);
    return set;
}

/* ---- looking ---- */

size_t state_set_count(const struct state_set *set) { return name_set_count(set->names); }

uint64_t state_set_memory(const struct state_set *set) {
    uint64_t chunks = (atomic_load(&set->pairs) >> CHUNK_BITS) + 1;
    return name_set_memory(set->names) + set->pair_slots * sizeof *set->pair_slot + chunks * CHUNK_PAIRS * sizeof(uint64_t);
}

size_t state_set_places(const struct state_set *set) { return name_set_places(set->names); }

state_name state_set_at(const struct state_set *set, size_t place) {
    return name_set_at(set->names, place) & ~(uint64_t)NAME_MARKS;
}

size_t state_set_place(const struct state_set *set, state_name name) { return name_set_place(set->names, name); }
