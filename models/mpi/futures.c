/* Futures of local states. The steps known are the edges of a graph of local states; what may be sent from a local state on is what
 * its edges send and what may be sent from where they lead. It is kept up to date as edges are found, backwards.
 *
 * A *deed* is that something is sent: to a rank, on a communicator, with a tag. If a collective comes before it that its rank
 * cannot leave until all members have entered, the deed has a *gate*, the communicator of the nearest such collective: the deed is not done
 * before each member has entered, so not before one moves that has not. Sets of deeds are interned; there are few. */
#include "models/mpi/futures.h"

#include "models/mpi/model_parts.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    DEEDS_MOST = 1024,
    TAGGED_MOST = 768, /* deeds that are told apart by tags; of later ones the tag is any */
    WORDS = DEEDS_MOST / 64,
    ANYTHING = 0, /* the deed that stands for all that could not be told apart any more */
    NOTHING = 0,  /* the empty set */
    CHUNK = 1 << 14,
    CHUNKS = 1 << 18,
    RANK_BITS = 12, /* of a number made of a rank and a communicator */
    NO_NUMBER = UINT32_MAX,
};

struct deed {
    uint32_t to, context;
    int32_t tag; /* WIRE_ANY_TAG: perhaps any */
    uint32_t gate;
};
_Static_assert(MAX_RANKS <= 1 << RANK_BITS, "ranks have numbers of so many bits");

struct deeds {
    uint64_t word[WORDS];
};

struct envelope_to {
    uint32_t to, context;
    int32_t tag;
};

/* What is known of consecutive local states. Never moved, as it is read without a lock. */
struct chunk {
    uint32_t known[CHUNK];              /* number of a set */
    const struct deeds *assumed[CHUNK]; /* NULL: no step from there was known */
    uint32_t first[CHUNK];              /* one more than the last edge found that leads there; 0: none */
    bool left[CHUNK];                   /* a step from there is known */
    _Atomic bool denied[CHUNK];         /* relied on: something is not sent from there on */
};

/* A step. All that it does, and what comes after it, is behind the gate if there is one. */
struct edge {
    uint32_t from;
    uint32_t own; /* number of the set of what it sends */
    uint32_t gate;
    uint32_t next; /* as `first`: another edge that leads where this one does */
};

/* From three numbers to a fourth. */
struct table {
    struct slot {
        uint32_t key[3], number; /* NO_NUMBER: free */
    } * slot;
    size_t slots, used;
};

struct futures {
    struct chunk *_Atomic chunk[CHUNKS];
    uint32_t chunks, made; /* one more than the last made, and how many were */
    bool assumes;          /* futures_assume was called */
    bool hopeful;
    bool grown; /* some future, since then */
    /* At that time, for speed: for each rank the deeds towards it; ranks, and words that are not all zero. */
    struct deeds *toward;
    uint32_t towards, words;

    struct deed deed[DEEDS_MOST]; /* written once, before any set holds it */
    uint32_t deeds;
    struct table deed_numbers; /* by rank and communicator, tag, gate */

    struct deeds **set; /* 0: nothing */
    uint32_t sets, set_room;
    struct table set_numbers; /* by a hash's halves, and how many others have that hash */
    struct table sums;        /* of two sets behind a gate */

    struct edge *edge;
    uint32_t edges, edge_room;
    struct table edge_numbers; /* by from, to, and what it does as `doings` has it */
    struct table doings;       /* by own set, gate, 0 */

    uint32_t *work; /* local states whose future has grown */
    uint32_t works, work_room;
};

/* ---- tables ---- */

static size_t place_of(const struct table *table, const uint32_t key[3]) {
    uint64_t hash = ((uint64_t)key[0] << 32 | key[1]) * 0x9fb21c651e98df25u ^ key[2] * 0xd6e8feb86659fd93u;
    size_t at = (size_t)((hash ^ hash >> 29) * 0x9e3779b97f4a7c15u >> 24) & (table->slots - 1);
    while (table->slot[at].number != NO_NUMBER && memcmp(table->slot[at].key, key, sizeof table->slot[at].key) != 0)
        at = (at + 1) & (table->slots - 1);
    return at;
}

static void enlarge(struct table *table) {
    struct table larger = {.slots = table->slots ? table->slots * 2 : 64, .used = table->used};
    larger.slot = model_resize(NULL, larger.slots * sizeof *larger.slot);
    memset(larger.slot, 0xff, larger.slots * sizeof *larger.slot);
    for (size_t i = 0; i < table->slots; i++)
        if (table->slot[i].number != NO_NUMBER)
            larger.slot[place_of(&larger, table->slot[i].key)] = table->slot[i];
    free(table->slot);
    *table = larger;
}

static uint32_t table_find(const struct table *table, const uint32_t key[3]) {
    return table->slots ? table->slot[place_of(table, key)].number : NO_NUMBER;
}

static uint32_t table_add(struct table *table, const uint32_t key[3], uint32_t number) {
    if (table->used * 2 >= table->slots)
        enlarge(table);
    struct slot *slot = &table->slot[place_of(table, key)];
    memcpy(slot->key, key, sizeof slot->key);
    slot->number = number;
    table->used++;
    return number;
}

static uint64_t table_memory(const struct table *table) { return table->slots * sizeof *table->slot; }

/* ---- sets of deeds ---- */

static uint32_t intern(struct futures *futures, const struct deeds *deeds) {
    uint64_t hash = XXH3_64bits(deeds, sizeof *deeds);
    for (uint32_t others = 0;; others++) {
        const uint32_t key[] = {(uint32_t)hash, (uint32_t)(hash >> 32), others};
        uint32_t number = table_find(&futures->set_numbers, key);
        if (number == NO_NUMBER) {
            futures->set = model_room(futures->set, &futures->set_room, futures->sets, sizeof *futures->set);
            futures->set[futures->sets] = model_resize(NULL, sizeof *deeds);
            *futures->set[futures->sets] = *deeds;
            return table_add(&futures->set_numbers, key, futures->sets++);
        }
        if (memcmp(futures->set[number], deeds, sizeof *deeds) == 0)
            return number;
    }
}

static uint32_t numbered(struct futures *futures, const struct deed *deed, bool add) {
    const uint32_t key[] = {deed->context << RANK_BITS | deed->to, (uint32_t)deed->tag, deed->gate};
    uint32_t number = table_find(&futures->deed_numbers, key);
    if (number != NO_NUMBER || !add)
        return number;
    if (futures->deeds == DEEDS_MOST)
        return ANYTHING;
    futures->deed[futures->deeds] = *deed;
    return table_add(&futures->deed_numbers, key, futures->deeds++);
}

static void add_deed(struct futures *futures, struct deeds *deeds, struct deed deed) {
    uint32_t number = ANYTHING;
    if (deed.context >> (32 - RANK_BITS) == 0) {
        number = numbered(futures, &deed, futures->deeds < TAGGED_MOST);
        deed.tag = WIRE_ANY_TAG;
        if (number == NO_NUMBER)
            number = numbered(futures, &deed, true);
    }
    deeds->word[number / 64] |= 1ull << number % 64;
}

/* Those of both; behind the gate, if there is one. */
static uint32_t sum(struct futures *futures, uint32_t a, uint32_t b, uint32_t gate) {
    if (gate == NO_GATE && (a == b || b == NOTHING))
        return a;
    const uint32_t key[] = {a, b, gate};
    uint32_t number = table_find(&futures->sums, key);
    if (number != NO_NUMBER)
        return number;
    struct deeds both = *futures->set[a], behind = {0};
    for (uint32_t i = 0; i < WORDS; i++)
        both.word[i] |= futures->set[b]->word[i];
    for (uint32_t i = 0; gate != NO_GATE && i < WORDS; i++)
        for (uint64_t rest = both.word[i]; rest; rest &= rest - 1) {
            uint32_t deed = i * 64 + (uint32_t)__builtin_ctzll(rest);
            if (deed == ANYTHING)
                behind.word[0] |= 1;
            else
                add_deed(futures, &behind,
                         (struct deed){futures->deed[deed].to, futures->deed[deed].context, futures->deed[deed].tag, gate});
        }
    return table_add(&futures->sums, key, intern(futures, gate == NO_GATE ? &both : &behind));
}

static uint32_t sent_by(struct futures *futures, const struct step_result *result) {
    struct deeds sent = {0};
    for (uint32_t i = 0; i < result->operations; i++) {
        const struct operation *operation = &result->operation[i];
        if (operation->kind == WIRE_SEND && operation->peer >= 0)
            add_deed(futures, &sent, (struct deed){(uint32_t)operation->peer, operation->context, operation->tag, NO_GATE});
    }
    return intern(futures, &sent);
}

/* ---- local states ---- */

static struct chunk *chunk_of(const struct futures *futures, uint32_t local) {
    return atomic_load_explicit(&futures->chunk[local / CHUNK], memory_order_acquire);
}

static void make_chunk(struct futures *futures, uint32_t local) {
    if (chunk_of(futures, local))
        return;
    struct chunk *chunk = model_zeroed(sizeof *chunk);
    futures->made++;
    atomic_store_explicit(&futures->chunk[local / CHUNK], chunk, memory_order_release);
    if (futures->chunks <= local / CHUNK)
        futures->chunks = local / CHUNK + 1;
}

struct futures *futures_create(void) {
    struct futures *futures = model_zeroed(sizeof *futures);
    futures->deeds = 1; /* ANYTHING */
    intern(futures, &(struct deeds){0});
    return futures;
}

void futures_destroy(struct futures *futures) {
    for (uint32_t i = 0; i < futures->chunks; i++)
        free(chunk_of(futures, i * CHUNK));
    for (uint32_t i = 0; i < futures->sets; i++)
        free(futures->set[i]);
    const struct table *const table[] = {&futures->deed_numbers, &futures->set_numbers, &futures->sums, &futures->edge_numbers,
                                         &futures->doings};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        free(table[i]->slot);
    free(futures->set);
    free(futures->edge);
    free(futures->work);
    free(futures->toward);
    free(futures);
}

uint64_t futures_memory(const struct futures *futures) {
    return sizeof(struct chunk) * futures->made + sizeof(struct deeds) * futures->sets +
           futures->edge_room * sizeof *futures->edge + table_memory(&futures->deed_numbers) +
           table_memory(&futures->set_numbers) + table_memory(&futures->sums) + table_memory(&futures->edge_numbers) +
           table_memory(&futures->doings);
}

/* ---- growing ---- */

static void grow(struct futures *futures, uint32_t local, uint32_t with) {
    uint32_t *known = &chunk_of(futures, local)->known[local % CHUNK];
    uint32_t grown = sum(futures, *known, with, NO_GATE);
    if (grown == *known)
        return;
    *known = grown;
    futures->grown = true;
    futures->work = model_room(futures->work, &futures->work_room, futures->works, sizeof *futures->work);
    futures->work[futures->works++] = local;
}

/* What comes after one goes to all that lead there. */
static void grow_backwards(struct futures *futures) {
    while (futures->works) {
        uint32_t local = futures->work[--futures->works];
        const struct chunk *chunk = chunk_of(futures, local);
        for (uint32_t i = chunk->first[local % CHUNK]; i; i = futures->edge[i - 1].next) {
            const struct edge *edge = &futures->edge[i - 1];
            grow(futures, edge->from, sum(futures, edge->own, chunk->known[local % CHUNK], edge->gate));
        }
    }
}

/* False: it was there before. */
static bool add_edge(struct futures *futures, uint32_t from, uint32_t to, uint32_t own, uint32_t gate) {
    const uint32_t doing[] = {own, gate, 0};
    uint32_t does = table_find(&futures->doings, doing);
    if (does == NO_NUMBER)
        does = table_add(&futures->doings, doing, (uint32_t)futures->doings.used);
    const uint32_t key[] = {from, to, does};
    if (table_find(&futures->edge_numbers, key) != NO_NUMBER)
        return false;
    table_add(&futures->edge_numbers, key, futures->edges);
    uint32_t *first = &chunk_of(futures, to)->first[to % CHUNK];
    futures->edge = model_room(futures->edge, &futures->edge_room, futures->edges, sizeof *futures->edge);
    futures->edge[futures->edges++] = (struct edge){from, own, gate, *first};
    *first = futures->edges;
    return true;
}

void futures_note(struct futures *futures, uint32_t from, uint32_t gate, const struct step_result *result) {
    uint32_t own = sent_by(futures, result), to = result->local;
    make_chunk(futures, from);
    make_chunk(futures, to);
    if (!add_edge(futures, from, to, own, gate))
        return;
    struct chunk *chunk = chunk_of(futures, from);
    if (!chunk->left[from % CHUNK]) {
        chunk->left[from % CHUNK] = true;
        futures->grown = true;
    }
    grow(futures, from, sum(futures, own, chunk_of(futures, to)->known[to % CHUNK], gate));
    grow_backwards(futures);
}

/* ---- relying on them ---- */

static void sort_deeds(struct futures *futures) {
    futures->words = (futures->deeds + 63) / 64;
    futures->towards = 0;
    for (uint32_t i = 1; i < futures->deeds; i++)
        if (futures->deed[i].to >= futures->towards)
            futures->towards = futures->deed[i].to + 1;
    futures->toward = model_resize(futures->toward, (futures->towards + 1) * sizeof *futures->toward);
    memset(futures->toward, 0, (futures->towards + 1) * sizeof *futures->toward);
    for (uint32_t i = 1; i < futures->deeds; i++)
        futures->toward[futures->deed[i].to].word[i / 64] |= 1ull << i % 64;
}

void futures_assume(struct futures *futures, bool hopeful) {
    sort_deeds(futures);
    for (uint32_t i = 0; i < futures->chunks; i++) {
        struct chunk *chunk = chunk_of(futures, i * CHUNK);
        for (uint32_t j = 0; chunk && j < CHUNK; j++) {
            chunk->assumed[j] = chunk->left[j] ? futures->set[chunk->known[j]] : NULL;
            atomic_store_explicit(&chunk->denied[j], false, memory_order_relaxed);
        }
    }
    futures->assumes = true;
    futures->hopeful = hopeful;
    futures->grown = false;
}

static bool assumed_enough(const struct futures *futures, const struct chunk *chunk) {
    for (uint32_t i = 0; i < CHUNK; i++) {
        const struct deeds *known = futures->set[chunk->known[i]];
        if (atomic_load_explicit(&chunk->denied[i], memory_order_relaxed) && known != chunk->assumed[i] &&
            (chunk->assumed[i] || chunk->known[i] != NOTHING))
            return false;
    }
    return true;
}

bool futures_assumed_enough(const struct futures *futures) {
    for (uint32_t i = 0; futures->grown && i < futures->chunks; i++) {
        const struct chunk *chunk = chunk_of(futures, i * CHUNK);
        if (chunk && !assumed_enough(futures, chunk))
            return false;
    }
    return true;
}

/* How many of the collectives on the communicator that not all have left yet it has entered. */
static uint32_t entered(const struct component *component, uint32_t context) {
    uint32_t entered = 0;
    for (uint32_t i = 0; i < component->count; i++)
        entered += component->pending[i].kind == WIRE_COLLECTIVE && component->pending[i].context == context;
    return entered;
}

/* Must `to` move before `source` gets past the next collective of this communicator that all must enter? If in doubt no. */
static bool is_shut(const struct mpi_model *model, const uint32_t *state, unsigned source, unsigned to, uint32_t gate) {
    const struct component *component = component_at(model, state[source]);
    uint32_t current = collective_current(component);
    bool inside = current != UINT32_MAX && component->pending[current].context == gate;
    return model->context[gate].position[to] >= 0 &&
           entered(component_at(model, state[to]), gate) + inside <= entered(component, gate);
}

/* Is one of these deeds, towards this rank, done with this envelope, before the rank moves? */
static bool has_deed(const struct mpi_model *model, const uint32_t *state, unsigned source, const struct deeds *deeds,
                     const struct envelope_to *envelope) {
    const struct futures *futures = model->futures;
    const struct deeds *toward = &futures->toward[envelope->to];
    for (uint32_t i = 0; i < futures->words; i++)
        for (uint64_t rest = deeds->word[i] & toward->word[i]; rest; rest &= rest - 1) {
            const struct deed *deed = &futures->deed[i * 64 + (uint32_t)__builtin_ctzll(rest)];
            bool fits = deed->context == envelope->context &&
                        (deed->tag == envelope->tag || deed->tag == WIRE_ANY_TAG || envelope->tag == WIRE_ANY_TAG);
            if (fits && (deed->gate == NO_GATE || !is_shut(model, state, source, envelope->to, deed->gate)))
                return true;
        }
    return false;
}

bool futures_may_send(const struct mpi_model *model, const uint32_t *state, unsigned source, unsigned to, uint32_t context,
                      int32_t tag, bool relied_on) {
    const struct futures *futures = model->futures;
    uint32_t local = component_at(model, state[source])->local;
    struct chunk *chunk = futures->assumes ? chunk_of(futures, local) : NULL;
    const struct deeds *assumed = chunk ? chunk->assumed[local % CHUNK] : NULL;
    if (!chunk || (!assumed && !futures->hopeful) || (assumed && assumed->word[0] >> ANYTHING & 1))
        return true;
    const struct envelope_to envelope = {to, context, tag};
    if (assumed && to < futures->towards && has_deed(model, state, source, assumed, &envelope))
        return true;
    if (relied_on && !atomic_load_explicit(&chunk->denied[local % CHUNK], memory_order_relaxed))
        atomic_store_explicit(&chunk->denied[local % CHUNK], true, memory_order_relaxed);
    return false;
}

/* ---- kept in a file ---- */

static void put(FILE *out, const void *bytes, size_t size) {
    if (size)
        fwrite(bytes, size, 1, out);
}

static bool get(FILE *in, void *bytes, size_t size) { return !size || fread(bytes, size, 1, in) == 1; }

/* What is kept of a local state. */
struct kept {
    uint32_t local, known;
    uint32_t assumed; /* one more than the number of a set; 0: none */
    uint32_t flags;   /* 1: left, 2: denied */
};

struct kept_edge {
    uint32_t from, to, own, gate;
};

static uint32_t locals_seen(const struct futures *futures) { return futures->chunks * CHUNK; }

static void save_edges(const struct futures *futures, FILE *out) {
    put(out, &futures->edges, sizeof futures->edges);
    for (uint32_t local = 0; local < locals_seen(futures); local++) {
        const struct chunk *chunk = chunk_of(futures, local);
        for (uint32_t i = chunk ? chunk->first[local % CHUNK] : 0; i; i = futures->edge[i - 1].next) {
            const struct edge *edge = &futures->edge[i - 1];
            put(out, &(struct kept_edge){edge->from, local, edge->own, edge->gate}, sizeof(struct kept_edge));
        }
    }
}

static struct kept kept_of(struct futures *futures, const struct chunk *chunk, uint32_t local) {
    uint32_t at = local % CHUNK;
    const struct deeds *assumed = chunk->assumed[at];
    bool denied = atomic_load_explicit(&chunk->denied[at], memory_order_relaxed);
    return (struct kept){local, chunk->known[at], assumed ? intern(futures, assumed) + 1 : 0, chunk->left[at] | denied << 1};
}

void futures_save(struct futures *futures, FILE *out) {
    const uint32_t head[] = {futures->deeds, futures->sets, futures->assumes, futures->hopeful, futures->grown};
    put(out, head, sizeof head);
    put(out, futures->deed, futures->deeds * sizeof *futures->deed);
    for (uint32_t i = 0; i < futures->sets; i++)
        put(out, futures->set[i], sizeof *futures->set[i]);
    save_edges(futures, out);
    for (uint32_t local = 0; local < locals_seen(futures); local++) {
        const struct chunk *chunk = chunk_of(futures, local);
        struct kept kept = chunk ? kept_of(futures, chunk, local) : (struct kept){0};
        if (kept.known != NOTHING || kept.assumed || kept.flags)
            put(out, &kept, sizeof kept);
    }
    put(out, &(struct kept){.local = NO_NUMBER}, sizeof(struct kept));
}

static bool load_sets(struct futures *futures, FILE *in, uint32_t deeds, uint32_t sets) {
    struct deeds set;
    for (uint32_t i = 0; i < deeds; i++) {
        struct deed deed;
        if (!get(in, &deed, sizeof deed) || (i && numbered(futures, &deed, true) != i))
            return false;
    }
    for (uint32_t i = 0; i < sets; i++)
        if (!get(in, &set, sizeof set) || intern(futures, &set) != i)
            return false;
    return true;
}

static bool load_edges(struct futures *futures, FILE *in) {
    struct kept_edge edge;
    uint32_t edges;
    bool ok = get(in, &edges, sizeof edges);
    for (uint32_t i = 0; ok && i < edges; i++) {
        ok = get(in, &edge, sizeof edge) && edge.own < futures->sets;
        if (!ok)
            break;
        make_chunk(futures, edge.from);
        make_chunk(futures, edge.to);
        add_edge(futures, edge.from, edge.to, edge.own, edge.gate);
    }
    return ok;
}

bool futures_load(struct futures *futures, FILE *in) {
    uint32_t head[5];
    struct kept kept;
    if (!get(in, head, sizeof head) || head[0] > DEEDS_MOST || !load_sets(futures, in, head[0], head[1]) ||
        !load_edges(futures, in))
        return false;
    futures->assumes = head[2];
    futures->hopeful = head[3];
    futures->grown = head[4];
    sort_deeds(futures);
    while (get(in, &kept, sizeof kept) && kept.known < futures->sets && kept.assumed <= futures->sets) {
        if (kept.local == NO_NUMBER)
            return true;
        make_chunk(futures, kept.local);
        struct chunk *chunk = chunk_of(futures, kept.local);
        uint32_t at = kept.local % CHUNK;
        chunk->known[at] = kept.known;
        chunk->assumed[at] = kept.assumed ? futures->set[kept.assumed - 1] : NULL;
        chunk->left[at] = kept.flags & 1;
        atomic_store_explicit(&chunk->denied[at], kept.flags >> 1 & 1, memory_order_relaxed);
    }
    return false;
}
