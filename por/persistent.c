#include "por/persistent.h"

#include <stdlib.h>

/* What is known of a calm transition. */
struct calm {
    bool asked, commutes;
    struct rank_set rivals, without;
};

/* Transitions of one owner that can do without its others. */
struct group {
    uint32_t *position;
    size_t count;
    struct rank_set partners;
};

struct persistent {
    unsigned ranks, words;
    uint32_t *owned;             /* transitions of each rank in this state */
    struct rank_set *influences; /* of each rank in `known` */
    struct rank_set known;
    uint16_t *work;    /* members of a closure whose influences are still to be added */
    struct calm *calm; /* by position */
    struct group group, best_group;
    size_t room; /* of these three, in transitions */
};

/* A state as persistent_select sees it. */
struct view {
    const struct transition *list;
    size_t count;
    void (*influences)(void *context, unsigned rank, struct rank_set *set);
    persistent_commutes *commutes;
    void *context;
};

/* What was found best: all transitions of a closed set of ranks, and perhaps some more, persistent->best_group. */
struct best {
    struct rank_set members;
    size_t owned; /* transitions of both */
    bool grouped; /* there are some more */
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
    free(persistent->calm);
    free(persistent->group.position);
    free(persistent->best_group.position);
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
            *best = (struct best){members, owned, false};
    }
}

static const struct calm *calm_at(struct persistent *persistent, const struct view *view, size_t position) {
    struct calm *calm = &persistent->calm[position];
    if (!calm->asked) {
        calm->asked = true;
        memset(&calm->rivals, 0, sizeof calm->rivals);
        memset(&calm->without, 0, sizeof calm->without);
        calm->commutes =
            view->list[position].calm && view->commutes(view->context, &view->list[position], &calm->rivals, &calm->without);
    }
    return calm;
}

static void add_to_group(struct group *group, const struct view *view, size_t position) {
    rank_set_add(&group->partners, view->list[position].partner);
    group->position[group->count++] = (uint32_t)position;
}

static void leave_out(struct rank_set *set, const struct rank_set *others, unsigned words) {
    for (unsigned word = 0; word < words; word++)
        set->word[word] &= ~others->word[word];
}

/* Adds the owner's transitions with these partners. False: with one of them there is none. */
static bool add_rivals(struct group *group, const struct view *view, const struct rank_set *rivals, unsigned words) {
    const uint16_t owner = view->list[group->position[0]].owner;
    struct rank_set fresh = *rivals;
    leave_out(&fresh, &group->partners, words);
    for (size_t i = 0; i < view->count; i++)
        if (view->list[i].owner == owner && rank_set_has(&fresh, view->list[i].partner))
            add_to_group(group, view, i);
    leave_out(&fresh, &group->partners, words);
    return rank_set_is_empty(&fresh);
}

/* The transition, all that it does not commute with, and so on; and the ranks that must not move. Of those whose own move is among
 * them nothing comes before that. False: one of them commutes with nothing. */
static bool gather(struct persistent *persistent, const struct view *view, size_t position, struct rank_set *without) {
    struct group *group = &persistent->group;
    group->count = 0;
    memset(&group->partners, 0, sizeof group->partners);
    memset(without, 0, sizeof *without);
    add_to_group(group, view, position);
    for (size_t i = 0; i < group->count; i++) {
        const struct calm *calm = calm_at(persistent, view, group->position[i]);
        if (!calm->commutes || !add_rivals(group, view, &calm->rivals, persistent->words))
            return false;
        for (unsigned word = 0; word < persistent->words; word++)
            without->word[word] |= calm->without.word[word];
    }
    leave_out(without, &group->partners, persistent->words);
    return true;
}

/* Tries the transitions that can do without their owner's others. */
static void try_groups(struct persistent *persistent, const struct view *view, struct best *best) {
    for (size_t i = 0; i < view->count && best->owned > 1; i++) {
        struct rank_set seeds, members;
        if (!view->list[i].calm || !gather(persistent, view, i, &seeds) || persistent->group.count >= best->owned)
            continue;
        const size_t count = persistent->group.count;
        size_t owned = closure(persistent, view, &seeds, best->owned - count, &members);
        if (owned == SIZE_MAX || rank_set_has(&members, view->list[i].owner))
            continue;
        *best = (struct best){members, owned + count, true};
        const struct group spare = persistent->best_group;
        persistent->best_group = persistent->group;
        persistent->group = spare;
    }
}

static bool has_real_move(const struct view *view) {
    for (size_t i = 0; i < view->count; i++)
        if (!view->list[i].optional && !view->list[i].miss)
            return true;
    return false;
}

static void *resize(void *old, size_t size) {
    void *new = realloc(old, size);
    if (!new)
        abort();
    return new;
}

static void forget_calm(struct persistent *persistent, size_t count) {
    if (persistent->room < count) {
        persistent->room = count * 2;
        persistent->calm = resize(persistent->calm, persistent->room * sizeof *persistent->calm);
        uint32_t **position[] = {&persistent->group.position, &persistent->best_group.position};
        for (unsigned i = 0; i < 2; i++)
            *position[i] = resize(*position[i], persistent->room * sizeof **position[i]);
    }
    for (size_t i = 0; i < count; i++)
        persistent->calm[i].asked = false;
}

static bool is_best(const struct persistent *persistent, const struct best *best, const struct transition *list, size_t at) {
    const struct group *group = &persistent->best_group;
    return rank_set_has(&best->members, list[at].owner) || (best->grouped && list[at].owner == list[group->position[0]].owner &&
                                                            rank_set_has(&group->partners, list[at].partner));
}

size_t persistent_select(struct persistent *persistent, const struct transition *list, size_t count,
                         void (*influences)(void *context, unsigned rank, struct rank_set *set), persistent_commutes *commutes,
                         void *context, uint32_t *chosen) {
    struct view view = {list, count, influences, commutes, context};
    struct best best = {.owned = count};
    forget_calm(persistent, count);
    memset(&persistent->known, 0, sizeof persistent->known);
    memset(persistent->owned, 0, persistent->ranks * sizeof *persistent->owned);
    for (size_t i = 0; i < count; i++)
        persistent->owned[list[i].owner]++;

    try_owners(persistent, &view, !has_real_move(&view), &best);
    try_groups(persistent, &view, &best);
    size_t taken = 0;
    for (size_t i = 0; i < count; i++)
        if (best.owned == count || is_best(persistent, &best, list, i))
            chosen[taken++] = (uint32_t)i;
    return taken;
}
