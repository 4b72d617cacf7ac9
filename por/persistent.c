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
    void *context;
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

/* The number of transitions that the closure of `seed` owns, and the closure; SIZE_MAX as soon as they are `limit` or more. */
static size_t closure(struct persistent *persistent, const struct view *view, unsigned seed, size_t limit,
                      struct rank_set *members) {
    size_t owned = persistent->owned[seed], waiting = 0;
    memset(members, 0, sizeof *members);
    rank_set_add(members, seed);
    persistent->work[waiting++] = (uint16_t)seed;
    while (waiting && owned < limit) {
        const struct rank_set *set = influences_of(persistent, view, persistent->work[--waiting]);
        for (unsigned word = 0; word < persistent->words; word++) {
            uint64_t fresh = set->word[word] & ~members->word[word];
            members->word[word] |= fresh;
            for (; fresh; fresh &= fresh - 1) {
                unsigned rank = word * 64 + (unsigned)__builtin_ctzll(fresh);
                owned += persistent->owned[rank];
                persistent->work[waiting++] = (uint16_t)rank;
            }
        }
    }
    return owned < limit ? owned : SIZE_MAX;
}

/* The best closed set grown from the owner of a transition that is not optional, and a miss or not as asked. SIZE_MAX: all
 * transitions are as good. */
static size_t best_closure(struct persistent *persistent, const struct view *view, bool miss, struct rank_set *best) {
    size_t best_owned = view->count;
    bool found = false;
    struct rank_set tried = {0};
    for (size_t i = 0; i < view->count && best_owned > 1; i++) {
        const struct transition *seed = &view->list[i];
        if (seed->optional || seed->miss != miss || rank_set_has(&tried, seed->owner))
            continue;
        rank_set_add(&tried, seed->owner);
        struct rank_set members;
        size_t owned = closure(persistent, view, seed->owner, best_owned, &members);
        if (owned == SIZE_MAX)
            continue;
        best_owned = owned;
        *best = members;
        found = true;
    }
    return found ? best_owned : SIZE_MAX;
}

static bool has_real_move(const struct view *view) {
    for (size_t i = 0; i < view->count; i++)
        if (!view->list[i].optional && !view->list[i].miss)
            return true;
    return false;
}

size_t persistent_select(struct persistent *persistent, const struct transition *list, size_t count,
                         void (*influences)(void *context, unsigned rank, struct rank_set *set), void *context,
                         uint32_t *chosen) {
    struct view view = {list, count, influences, context};
    struct rank_set best;
    memset(&persistent->known, 0, sizeof persistent->known);
    memset(persistent->owned, 0, persistent->ranks * sizeof *persistent->owned);
    for (size_t i = 0; i < count; i++)
        persistent->owned[list[i].owner]++;

    bool reduced = count > 1 && best_closure(persistent, &view, !has_real_move(&view), &best) != SIZE_MAX;
    size_t taken = 0;
    for (size_t i = 0; i < count; i++)
        if (!reduced || rank_set_has(&best, list[i].owner))
            chosen[taken++] = (uint32_t)i;
    return taken;
}
