/* Ordering what may be exchanged, as section 4.4.3 of the thesis has it. */
#include "models/growing.h"
#include "por/poset.h"

#include <string.h>

struct reduction {
    struct poset *poset;
    bool *exchangeable; /* each pair */
};

static bool may_come_first(const struct reduction *reduction, size_t earlier, size_t later) {
    return reduction->exchangeable[earlier * reduction->poset->elements + later] ||
           poset_precedes(reduction->poset, earlier, later);
}

/* May all that would then have to come before `element`, which is or follows b, come before it? */
static bool all_may_come_before(const struct reduction *reduction, size_t a, size_t b, size_t element) {
    const struct poset *poset = reduction->poset;
    for (size_t i = 0; i < poset->elements; i++) {
        bool would = i == a || (poset_precedes(poset, i, a) && !poset_precedes(poset, i, b));
        if (would && !may_come_first(reduction, i, element))
            return false;
    }
    return true;
}

static bool may_add(const struct reduction *reduction, size_t a, size_t b) {
    const struct poset *poset = reduction->poset;
    if (a == b || poset_precedes(poset, a, b) || poset_precedes(poset, b, a) || !may_come_first(reduction, a, b))
        return false;
    for (size_t i = 0; i < poset->elements; i++) {
        bool would = i == b || (poset_precedes(poset, b, i) && !poset_precedes(poset, a, i));
        if (would && !all_may_come_before(reduction, a, b, i))
            return false;
    }
    return true;
}

/* All pairs, lower number first or second. */
static bool add_edges(const struct reduction *reduction, bool upwards) {
    struct poset *poset = reduction->poset;
    bool added = false;
    for (size_t a = 0; a < poset->elements; a++)
        for (size_t b = a + 1; b < poset->elements; b++) {
            size_t earlier = upwards ? a : b, later = upwards ? b : a;
            if (!may_add(reduction, earlier, later))
                continue;
            poset_add(poset, earlier, later);
            added = true;
        }
    return added;
}

void poset_reduce(struct poset *poset, bool (*exchangeable)(void *context, uint32_t a, uint32_t b), void *context) {
    size_t elements = poset->elements;
    struct reduction reduction = {poset, growing_new((elements * elements + 1) * sizeof *reduction.exchangeable)};
    for (uint32_t a = 0; a < elements; a++)
        for (uint32_t b = 0; b < elements; b++)
            reduction.exchangeable[a * elements + b] = a != b && exchangeable(context, a, b);
    while (add_edges(&reduction, true) || add_edges(&reduction, false))
        ;
    free(reduction.exchangeable);
}
