/* Ordering what may be exchanged, as section 4.4.3 of the thesis has it. */
#include "models/bit_set.h"
#include "models/growing.h"
#include "por/poset.h"

struct reduction {
    struct poset *poset;
    struct poset reverse;   /* what follows each element */
    uint64_t *exchangeable; /* of each element, a set */
    uint64_t *first, *last; /* scratch: what an edge would order */
};

static uint64_t *set_of(uint64_t *sets, const struct poset *poset, size_t element) { return sets + element * poset->words; }

/* The element, and those of its set that are not in the other one's. */
static void find_difference(const struct poset *poset, size_t element, size_t other, uint64_t *set) {
    const uint64_t *from = set_of(poset->before, poset, element), *without = set_of(poset->before, poset, other);
    for (size_t i = 0; i < poset->words; i++)
        set[i] = from[i] & ~without[i];
    set_add(set, element);
}

/* May the element come before all of these, or does it already? */
static bool may_precede(const struct reduction *reduction, size_t element, const uint64_t *set) {
    const uint64_t *exchangeable = set_of(reduction->exchangeable, reduction->poset, element);
    const uint64_t *after = set_of(reduction->reverse.before, &reduction->reverse, element);
    for (size_t i = 0; i < reduction->poset->words; i++)
        if (set[i] & ~(exchangeable[i] | after[i]))
            return false;
    return true;
}

static bool may_add(const struct reduction *reduction, size_t a, size_t b) {
    const struct poset *poset = reduction->poset;
    if (poset_precedes(poset, a, b) || poset_precedes(poset, b, a))
        return false;
    find_difference(poset, a, b, reduction->first);
    find_difference(&reduction->reverse, b, a, reduction->last);
    for (size_t i = 0; i < poset->elements; i++)
        if (set_has(reduction->first, i) && !may_precede(reduction, i, reduction->last))
            return false;
    return true;
}

/* All pairs, lower number first or second. */
static bool add_edges(struct reduction *reduction, bool upwards) {
    struct poset *poset = reduction->poset;
    bool added = false;
    for (size_t a = 0; a < poset->elements; a++)
        for (size_t b = a + 1; b < poset->elements; b++) {
            size_t earlier = upwards ? a : b, later = upwards ? b : a;
            if (!may_add(reduction, earlier, later))
                continue;
            poset_add(poset, earlier, later);
            poset_add(&reduction->reverse, later, earlier);
            added = true;
        }
    return added;
}

static struct poset reverse_of(const struct poset *poset) {
    struct poset reverse = poset_new(poset->elements);
    for (size_t a = 0; a < poset->elements; a++)
        for (size_t b = 0; b < poset->elements; b++)
            if (poset_precedes(poset, a, b))
                poset_add(&reverse, b, a);
    return reverse;
}

void poset_reduce(struct poset *poset, bool (*exchangeable)(void *context, uint32_t a, uint32_t b), void *context) {
    size_t sets = poset->elements * poset->words + 1;
    struct reduction reduction = {.poset = poset,
                                  .reverse = reverse_of(poset),
                                  .exchangeable = growing_new(sets * sizeof *reduction.exchangeable),
                                  .first = growing_new(poset->words * sizeof *reduction.first),
                                  .last = growing_new(poset->words * sizeof *reduction.last)};
    for (uint32_t a = 0; a < poset->elements; a++)
        for (uint32_t b = 0; b < poset->elements; b++)
            if (a != b && exchangeable(context, a, b))
                set_add(set_of(reduction.exchangeable, poset, a), b);
    while (add_edges(&reduction, true) || add_edges(&reduction, false))
        ;
    poset_free(&reduction.reverse);
    free(reduction.exchangeable);
    free(reduction.first);
    free(reduction.last);
}
