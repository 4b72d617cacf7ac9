#include "por/poset.h"

#include "models/bit_set.h"
#include "models/growing.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static uint64_t *before(const struct poset *poset, size_t element) { return poset->before + element * poset->words; }

struct poset poset_new(size_t elements) {
    struct poset poset = {.elements = elements, .words = elements / 64 + 1};
    poset.before = growing_new((elements + 1) * poset.words * sizeof *poset.before);
    return poset;
}

void poset_free(struct poset *poset) {
    free(poset->before);
    *poset = (struct poset){0};
}

bool poset_precedes(const struct poset *poset, size_t earlier, size_t later) { return set_has(before(poset, later), earlier); }

void poset_add(struct poset *poset, size_t earlier, size_t later) {
    if (poset_precedes(poset, earlier, later))
        return;
    for (size_t i = 0; i < poset->elements; i++) {
        if (i != later && !poset_precedes(poset, later, i))
            continue;
        set_add_all(before(poset, i), before(poset, earlier), poset->words);
        set_add(before(poset, i), earlier);
    }
}

struct poset poset_part(const struct poset *poset, const uint32_t *element, size_t elements) {
    struct poset part = poset_new(elements);
    for (size_t i = 0; i < elements; i++)
        for (size_t k = 0; k < elements; k++)
            if (poset_precedes(poset, element[k], element[i]))
                set_add(before(&part, i), k);
    return part;
}

/* ---- groups ---- */

struct ranked {
    size_t befores, element;
};

static int compare(const void *a, const void *b) {
    const struct ranked *x = a, *y = b;
    if (x->befores != y->befores)
        return x->befores < y->befores ? -1 : 1;
    return (x->element > y->element) - (x->element < y->element);
}

/* By how many precede each, then by number: that is one of the orders, and at a cut the first ones. */
static struct ranked *one_order(const struct poset *poset) {
    struct ranked *order = growing_new((poset->elements + 1) * sizeof *order);
    for (size_t i = 0; i < poset->elements; i++) {
        order[i].element = i;
        for (size_t k = 0; k < poset->words; k++)
            order[i].befores += (size_t)__builtin_popcountll(before(poset, i)[k]);
    }
    qsort(order, poset->elements, sizeof *order, compare);
    return order;
}

void poset_order(const struct poset *poset, uint32_t *order) {
    struct ranked *ranked = one_order(poset);
    for (size_t i = 0; i < poset->elements; i++)
        order[i] = (uint32_t)ranked[i].element;
    free(ranked);
}

/* Do the first ones, of which `first` is the set, precede all others? */
static bool is_cut(const struct poset *poset, const struct ranked *order, size_t firsts, const uint64_t *first) {
    for (size_t i = firsts; i < poset->elements; i++)
        if (!set_includes(before(poset, order[i].element), first, poset->words))
            return false;
    return true;
}

size_t poset_groups(const struct poset *poset, uint32_t *group) {
    struct ranked *order = one_order(poset);
    uint64_t *first = growing_new(poset->words * sizeof *first);
    uint32_t groups = 0;
    for (size_t i = 0; i < poset->elements; i++) {
        groups += i > 0 && is_cut(poset, order, i, first);
        group[order[i].element] = groups;
        set_add(first, order[i].element);
    }
    free(first);
    free(order);
    return poset->elements ? groups + 1 : 0;
}

/* ---- counting ---- */

/* All sets of one size with which an order may begin, each with the number of orders of it. A set and its number are `size`
 * words. */
struct layer {
    uint64_t *item;
    size_t items, room;
    uint32_t *slot; /* open addressing: numbers of items, from 1 */
    size_t slots;
};

struct counting {
    const struct poset *poset;
    const struct poset_limits *limits;
    size_t size, limbs;
    struct layer now, next;
    size_t sets;    /* met so far */
    uint64_t edges; /* from one to the next */
};

static uint32_t *find_slot(const struct counting *counting, const struct layer *layer, const uint64_t *set) {
    size_t bytes = counting->poset->words * sizeof *set, at = XXH3_64bits(set, bytes) & (layer->slots - 1);
    while (layer->slot[at] && memcmp(layer->item + (layer->slot[at] - 1) * counting->size, set, bytes) != 0)
        at = (at + 1) & (layer->slots - 1);
    return &layer->slot[at];
}

static void grow_slots(const struct counting *counting, struct layer *layer) {
    layer->slots = layer->slots ? layer->slots * 2 : 64;
    free(layer->slot);
    layer->slot = growing_new(layer->slots * sizeof *layer->slot);
    for (size_t i = 0; i < layer->items; i++)
        *find_slot(counting, layer, layer->item + i * counting->size) = (uint32_t)i + 1;
}

/* The number of orders of this set, 0 if it is new. */
static mp_limb_t *number_of(struct counting *counting, struct layer *layer, const uint64_t *set) {
    size_t size = counting->size, words = counting->poset->words;
    if (2 * (layer->items + 1) > layer->slots)
        grow_slots(counting, layer);
    uint32_t *slot = find_slot(counting, layer, set);
    if (!*slot) {
        layer->item = growing_room(layer->item, &layer->room, (layer->items + 1) * size, sizeof *layer->item);
        memset(layer->item + layer->items * size, 0, size * sizeof *layer->item);
        memcpy(layer->item + layer->items * size, set, words * sizeof *set);
        *slot = (uint32_t)++layer->items;
        counting->sets++;
    }
    return (mp_limb_t *)(layer->item + (*slot - 1) * size + words);
}

static void empty(struct layer *layer) {
    layer->items = 0;
    if (layer->slot)
        memset(layer->slot, 0, layer->slots * sizeof *layer->slot);
}

static uint64_t bytes_of(const struct layer *layer) {
    return layer->room * sizeof *layer->item + layer->slots * sizeof *layer->slot;
}

static bool may_go_on(const struct counting *counting) {
    const struct poset_limits *limits = counting->limits;
    uint64_t bytes = bytes_of(&counting->now) + bytes_of(&counting->next);
    return counting->sets <= limits->sets && !(limits->stop && limits->stop(limits->context, bytes));
}

/* All sets with one element more than this one. */
static void extend(struct counting *counting, const uint64_t *item) {
    const struct poset *poset = counting->poset;
    uint64_t set[poset->words];
    memcpy(set, item, sizeof set);
    for (size_t i = 0; i < poset->elements; i++) {
        if (set_has(item, i) || !set_includes(item, before(poset, i), poset->words))
            continue;
        set_add(set, i);
        counting->edges++;
        mp_limb_t *number = number_of(counting, &counting->next, set);
        mpn_add_n(number, number, (const mp_limb_t *)(item + poset->words), (mp_size_t)counting->limbs);
        set[i / 64] = item[i / 64];
    }
}

static bool count_layer(struct counting *counting) {
    for (size_t i = 0; i < counting->now.items; i++) {
        if (i % 1024 == 0 && !may_go_on(counting))
            return false;
        extend(counting, counting->now.item + i * counting->size);
    }
    struct layer done = counting->now;
    counting->now = counting->next;
    counting->next = done;
    empty(&counting->next);
    return may_go_on(counting);
}

/* Of a number up to elements^elements. */
static size_t limbs_for(size_t elements) {
    size_t bits = 1;
    while (elements >> bits)
        bits++;
    return elements * bits / 64 + 1;
}

bool poset_count(const struct poset *poset, const struct poset_limits *limits, mpz_t count, uint64_t *edges) {
    _Static_assert(sizeof(mp_limb_t) == sizeof(uint64_t), "a word of an item");
    struct counting counting = {.poset = poset, .limits = limits, .limbs = limbs_for(poset->elements)};
    counting.size = poset->words + counting.limbs;
    uint64_t nothing[poset->words];
    memset(nothing, 0, sizeof nothing);
    number_of(&counting, &counting.now, nothing)[0] = 1;
    bool counted = true;
    for (size_t i = 0; counted && i < poset->elements; i++)
        counted = count_layer(&counting);
    if (counted)
        mpz_import(count, counting.limbs, -1, sizeof(mp_limb_t), 0, 0, counting.now.item + poset->words);
    *edges = counting.edges;
    free(counting.now.item);
    free(counting.now.slot);
    free(counting.next.item);
    free(counting.next.slot);
    return counted;
}
