/* A subset of the orders: the expressions 4.1 and 4.2 of section 4.4.4. */
#include "models/growing.h"
#include "por/poset.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

struct given {
    const struct poset *poset;
    uint32_t *order; /* one that is admissible: parts of others are in the order of this one */
    uint32_t *made;  /* the one being made */
    size_t length;
    XXH128_hash_t *name; /* of those made so far */
    size_t names, room;
};

static void put(struct given *given, uint32_t element) { given->made[given->length++] = element; }

static void finish(struct given *given) {
    given->name = growing_room(given->name, &given->room, given->names + 1, sizeof *given->name);
    given->name[given->names++] = XXH3_128bits(given->made, given->length * sizeof *given->made);
    given->length = 0;
}

static bool precedes(const struct given *given, uint32_t a, uint32_t b) { return poset_precedes(given->poset, a, b); }

/* All that need not come after a; a; what follows it. */
static void make_late(struct given *given, uint32_t a) {
    size_t elements = given->poset->elements;
    for (size_t i = 0; i < elements; i++)
        if (given->order[i] != a && !precedes(given, a, given->order[i]))
            put(given, given->order[i]);
    put(given, a);
    for (size_t i = 0; i < elements; i++)
        if (precedes(given, a, given->order[i]))
            put(given, given->order[i]);
    finish(given);
}

/* May b come right after a? */
static bool may_follow(const struct given *given, uint32_t a, uint32_t b) {
    for (uint32_t i = 0; i < given->poset->elements; i++)
        if (precedes(given, a, i) && precedes(given, i, b))
            return false;
    return a != b && !precedes(given, b, a);
}

/* What must come before a or b; these; all others. */
static void make_adjacent(struct given *given, uint32_t a, uint32_t b) {
    size_t elements = given->poset->elements;
    for (int before = 1; before >= 0; before--) {
        for (size_t i = 0; i < elements; i++) {
            uint32_t element = given->order[i];
            if (element != a && element != b && (precedes(given, element, a) || precedes(given, element, b)) == before)
                put(given, element);
        }
        if (before) {
            put(given, a);
            put(given, b);
        }
    }
    finish(given);
}

static int compare(const void *a, const void *b) { return XXH128_cmp(a, b); }

static size_t count_different(struct given *given) {
    size_t different = 0;
    if (!given->names)
        return 0;
    qsort(given->name, given->names, sizeof *given->name, compare);
    for (size_t i = 0; i < given->names; i++)
        different += i == 0 || !XXH128_isEqual(given->name[i - 1], given->name[i]);
    return different;
}

size_t poset_subset(const struct poset *poset) {
    struct given given = {.poset = poset,
                          .order = growing_new((poset->elements + 1) * sizeof *given.order),
                          .made = growing_new((poset->elements + 1) * sizeof *given.made)};
    poset_order(poset, given.order);
    for (uint32_t a = 0; a < poset->elements; a++) {
        make_late(&given, a);
        for (uint32_t b = 0; b < poset->elements; b++)
            if (may_follow(&given, a, b))
                make_adjacent(&given, a, b);
    }
    size_t different = count_different(&given);
    free(given.order);
    free(given.made);
    free(given.name);
    return different;
}
