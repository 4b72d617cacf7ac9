#include "por/persistent.h"

#include <stdlib.h>

struct persistent {
    unsigned ranks, words;
    uint32_t *owned;             /* transitions of each rank in this state */
    struct rank_set *influences; /* of each rank in `known` */
    struct rank_set known;
    uint16_t *work; /* members of a closure whose influences are still to be added */
};

/* A state as persistent_select sees it. */
struct view {
    const struct transition *list;
    size_t count;
    void (*influences)(void *context, unsigned rank, struct rank_set *set);
    bool (*commutes)(void *context, const struct transition *transition, struct rank_set *set);
    void *context;
};

/* What was found best: all transitions of a closed set of ranks, and perhaps one more. */
struct best {
    struct rank_set members;
    size_t owned; /* transitions of both */
    size_t alone; /* position of that one; SIZE_MAX: there is none */
};

struct persistent *persistent_create(unsigned ranks) {
    struct persistent *persistent = calloc(1, sizeof *persistent);
    if (!persistent)
        abort();
    persistent->ranks = ranks;
    persistent->words = (ranks + 63) / 64;
    persistent->owned = calloc(ranks, sizeof *persistent->owned);
    persistent->influences = calloc(ranks, sizeof *persistent->influences);
    persistent->work = calloc(ranks, sizeof *persistent->work);
    if (!persistent->owned || !persistent->influences || !persistent->work)
        abort();
    return persistent;
}

void persistent_destroy(struct persistent *persistent) {
    if (!persistent)
        return;
    free(persistent->owned);
    free(persistent->influences);
    free(persistent->work);
    free(persistent);
}

static const struct rank_set *influences_of(struct persistent *persistent, const struct view *view, unsigned rank) {
    struct rank_set *set = &persistent->influences[rank];
    if (rank_set_has(&persistent->known, rank))
        return set;
    memset(set, 0, sizeof *set);
    view->influences(view->context, rank, set);
    rank_set_add(&persistent->known, rank);
    return set;
}

/* Adds the ranks of the set that are no members yet, with their work. Returns the number of transitions that they own. */
static size_t join(struct persistent *persistent, const struct rank_set *set, struct rank_set *members, size_t *waiting) {
    size_t owned = 0;
    for (unsigned word = 0; word < persistent->words; word++) {
        uint64_t fresh = set->word[word] & ~members->word[word];
        members->word[word] |= fresh;
        for (; fresh; fresh &= fresh - 1) {
            unsigned rank = word * 64 + (unsigned)__builtin_ctzll(fresh);
            owned += persistent->owned[rank];
            persistent->work[(*waiting)++] = (uint16_t)rank;
        }
    }
    return owned;
}

/* The number of transitions that the closure of `seeds` owns, and the closure; SIZE_MAX as soon as they are `limit` or more. */
static size_t closure(struct persistent *persistent, const struct view *view, const struct rank_set *seeds, size_t limit,
                      struct rank_set *members) {
    size_t waiting = 0;
    memset(members, 0, sizeof *members);
    size_t owned = join(persistent, seeds, members, &waiting);
    while (waiting && owned < limit) {
        const struct rank_set *set = influences_of(persistent, view, persistent->work[--waiting]);
        owned += join(persistent, set, members, &waiting);
    }
    return owned < limit ? owned : SIZE_MAX;
}

/* Tries the closed sets grown from the owner of a transition that is not optional, and a miss or not as asked. */
static void try_owners(struct persistent *persistent, const struct view *view, bool miss, struct best *best) {
    struct rank_set tried = {0};
    for (size_t i = 0; i < view->count && best->owned > 1; i++) {
        const struct transition *transition = &view->list[i];
        if (transition->optional || transition->miss != miss || rank_set_has(&tried, transition->owner))
            continue;
        struct rank_set seed = {0}, members;
        rank_set_add(&tried, transition->owner);
        rank_set_add(&seed, transition->owner);
        size_t owned = closure(persistent, view, &seed, best->owned, &members);
        if (owned != SIZE_MAX)
            *best = (struct best){members, owned, SIZE_MAX};
    }
}

/* Tries the transitions that can do without their owner's others. */
static void try_alone(struct persistent *persistent, const struct view *view, struct best *best) {
    for (size_t i = 0; i < view->count && best->owned > 1; i++) {
        const struct transition *transition = &view->list[i];
        struct rank_set seeds = {0}, members;
        if (!transition->calm || !view->commutes(view->context, transition, &seeds))
            continue;
        size_t owned = closure(persistent, view, &seeds, best->owned - 1, &members);
        if (owned != SIZE_MAX && !rank_set_has(&members, transition->owner))
            *best = (struct best){members, owned + 1, i};
    }
}

static bool has_real_move(const struct view *view) {
    for (size_t i = 0; i < view->count; i++)
        if (!view->list[i].optional && !view->list[i].miss)
            return true;
    return false;
}

size_t persistent_select(struct persistent *persistent, const struct transition *list, size_t count,
                         void (*influences)(void *context, unsigned rank, struct rank_set *set),
                         bool (*commutes)(void *context, const struct transition *transition, struct rank_set *set),
                         void *context, uint32_t *chosen) {
    struct view view = {list, count, influences, commutes, context};
    struct best best = {.owned = count, .alone = SIZE_MAX};
    memset(&persistent->known, 0, sizeof persistent->known);
    memset(persistent->owned, 0, persistent->ranks * sizeof *persistent->owned);
    for (size_t i = 0; i < count; i++)
        persistent->owned[list[i].owner]++;

    try_owners(persistent, &view, !has_real_move(&view), &best);
    try_alone(persistent, &view, &best);
    size_t taken = 0;
    for (size_t i = 0; i < count; i++)
        if (best.owned == count || i == best.alone || rank_set_has(&best.members, list[i].owner))
            chosen[taken++] = (uint32_t)i;
    return taken;
}
