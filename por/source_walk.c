/* Of an event e of a state: the ways from there that begin with e, each with its shadow, which does without e what it can. */
#include "models/growing.h"
#include "por/source_sets_parts.h"

/* So many pairs may be walked over in all, for the first and for each event that is taken; then walks are given up. */
enum { PAIRS_FIRST = 1 << 16, PAIRS_EACH = 8 };

/* A state, and its shadow. */
struct pair {
    void *full, *shadow;
    struct event_offered *offered; /* in `full` */
    size_t room;
    const struct source_visited *visited; /* what was taken there */
    uint32_t next;                        /* of these */
    bool leave_out;  /* the one before it, which the shadow has done, is now to be left out of the shadow */
    size_t initials; /* walk->initials on the way to here */
};

struct source_walk {
    struct pair *pair; /* the way at hand */
    size_t depth, pairs, pair_room;
    uint64_t walked;
    /* Of what the shadow has done, what is on offer in the state where it all begins: it commutes with all that came before. */
    struct event_names initials;
    struct name_table met, shadows;
    void *without, *with; /* shadows */
    struct event_offered *offered;
    size_t offered_room;
};

struct source_walk *source_walk_create(const struct event_system *system) {
    struct source_walk *walk = growing_new(sizeof *walk);
    walk->without = growing_new(system->state_bytes);
    walk->with = growing_new(system->state_bytes);
    return walk;
}

void source_walk_destroy(struct source_walk *walk) {
    for (size_t i = 0; i < walk->pairs; i++) {
        free(walk->pair[i].full);
        free(walk->pair[i].shadow);
        free(walk->pair[i].offered);
    }
    free(walk->pair);
    free(walk->initials.name);
    free(walk->without);
    free(walk->with);
    free(walk->offered);
    free(walk);
}

/* The walk that is going on. */
struct reversal {
    struct source_sets *sets;
    struct source_walk *walk;
    struct source_state *at;
    uint64_t event;
    uint16_t owner;
};

/* --- races ------------------------------------------------------------------------------------------------------------------- */

/* An event on offer in the state at hand that has all the marks in `wanted` and none of `unwanted`, and that the shadow has done, or
 * that is `race`: an initial of that sequence. SIZE_MAX: there is none. */
static size_t find_initial(const struct reversal *reversal, unsigned wanted, unsigned unwanted, uint64_t race) {
    const struct source_state *at = reversal->at;
    for (size_t i = 0; i < at->count; i++)
        if ((at->mark[i] & (wanted | unwanted)) == wanted &&
            (at->offered[i].name == race || event_names_has(&reversal->walk->initials, at->offered[i].name)))
            return i;
    return SIZE_MAX;
}

/* The shadow offers an event that reversal->event excludes. */
static void reverse(const struct reversal *reversal, uint64_t race) {
    if (find_initial(reversal, EVENT_CHOSEN, 0, race) != SIZE_MAX)
        return;
    size_t initial = find_initial(reversal, EVENT_SUFFICES, EVENT_CHOSEN, race);
    if (initial == SIZE_MAX)
        source_choose_sufficing(reversal->at); /* not of a set that is persistent */
    else
        source_choose(reversal->at, initial);
}

/* Those are of its owner. True: the shadow offers something else, so that more may come of it. */
static bool find_races(struct reversal *reversal, const void *shadow) {
    struct event_taker *taker = &reversal->sets->taker;
    struct source_walk *walk = reversal->walk;
    size_t count = event_list(taker, shadow, &walk->offered, &walk->offered_room);
    bool goes_on = false, done = false;
    for (size_t i = 0; i < count; i++) {
        const struct event_offered *other = &walk->offered[i];
        if (other->name == reversal->event)
            continue;
        if (other->transition.owner != reversal->owner) {
            goes_on = true;
            continue;
        }
        if (!done)
            event_copy_state(taker, walk->with, shadow);
        if (!done && !event_take(taker, walk->with, reversal->event))
            return true;
        done = true;
        if (event_is_offered(taker, walk->with, other->name))
            goes_on = true;
        else
            reverse(reversal, other->name);
    }
    return goes_on;
}

/* --- the ways ---------------------------------------------------------------------------------------------------------------- */

static bool is_enough(const struct reversal *reversal) {
    return reversal->at->chosen >= reversal->at->sufficing || reversal->sets->taker.stopped;
}

static struct pair *pair_at(struct reversal *reversal, size_t depth) {
    struct source_walk *walk = reversal->walk;
    size_t bytes = reversal->sets->taker.system->state_bytes;
    walk->pair = growing_room(walk->pair, &walk->pair_room, depth + 1, sizeof *walk->pair);
    while (walk->pairs <= depth)
        walk->pair[walk->pairs++] = (struct pair){.full = growing_new(bytes), .shadow = growing_new(bytes)};
    return &walk->pair[depth];
}

/* May more come of the shadow? Looks for its races, once. */
static bool shadow_goes_on(struct reversal *reversal, const void *shadow, struct name name) {
    struct name_table *shadows = &reversal->walk->shadows;
    uint32_t known = name_table_find(shadows, name);
    if (known == NAME_UNKNOWN)
        name_table_add(shadows, name, known = find_races(reversal, shadow));
    return known;
}

/* Of two ways to one shadow with the same initials, in any order, one will do. */
static uint64_t hash_of_initials(const struct event_names *initials) {
    uint64_t sum = 0;
    for (size_t i = 0; i < initials->count; i++)
        sum += initials->name[i];
    return sum;
}

/* The pair at walk->depth has been reached. False: it has been walked on from, or there is nothing behind it. */
static bool enter(struct reversal *reversal) {
    struct source_walk *walk = reversal->walk;
    const struct source_sets *sets = reversal->sets;
    const struct event_system *system = sets->taker.system;
    struct pair *pair = &walk->pair[walk->depth];
    struct name names[3] = {name_of_hash(hash_of_initials(&walk->initials)), name_of(pair->shadow, system->state_bytes),
                            name_of(pair->full, system->state_bytes)};
    struct name name = name_of(names, sizeof names);
    if (!shadow_goes_on(reversal, pair->shadow, name_of(names, 2 * sizeof *names)) ||
        name_table_find(&walk->met, name) != NAME_UNKNOWN)
        return false;
    name_table_add(&walk->met, name, 0);
    walk->walked++;
    uint32_t number = name_table_find(&sets->places, system->place(system->self, pair->full));
    if (number == NAME_UNKNOWN || !sets->visited[number].done)
        return false; /* a way that was cut */
    pair->visited = &sets->visited[number];
    event_list(&sets->taker, pair->full, &pair->offered, &pair->room);
    pair->next = 0;
    pair->leave_out = false;
    return true;
}

/* Takes an event in the shadow, into walk->without. False: it needs reversal->event, or is excluded by it. */
static bool do_without(struct reversal *reversal, const void *shadow, const struct event_offered *event) {
    struct event_taker *taker = &reversal->sets->taker;
    void *next = reversal->walk->without;
    event_copy_state(taker, next, shadow);
    if (!event_take(taker, next, event->name))
        return false;
    return event->transition.owner != reversal->owner || event_is_offered(taker, next, reversal->event);
}

/* Goes from the pair at hand along its next event, or once more along the one before without its shadow. */
static void step(struct reversal *reversal) {
    struct source_walk *walk = reversal->walk;
    struct event_taker *taker = &reversal->sets->taker;
    pair_at(reversal, walk->depth + 1);
    struct pair *pair = &walk->pair[walk->depth], *next = &walk->pair[walk->depth + 1];
    const bool leave_out = pair->leave_out;
    const uint32_t which = leave_out ? pair->next - 1 : pair->next++;
    const struct event_offered *event = &pair->offered[reversal->sets->taken[pair->visited->first + which]];
    event_copy_state(taker, next->full, pair->full);
    pair->leave_out = false;
    if (!event_take(taker, next->full, event->name))
        return;
    const bool shadowed = !leave_out && do_without(reversal, pair->shadow, event);
    pair->leave_out = shadowed && event->transition.owner == reversal->owner;
    event_copy_state(taker, next->shadow, shadowed ? walk->without : pair->shadow);
    walk->initials.count = pair->initials;
    if (shadowed && event_find(reversal->at->offered, reversal->at->count, event->name))
        event_names_add(&walk->initials, event->name);
    next->initials = walk->initials.count;
    walk->depth++;
    walk->depth -= !enter(reversal);
}

static void walk_all(struct reversal *reversal) {
    struct source_walk *walk = reversal->walk;
    while (!is_enough(reversal)) {
        struct pair *pair = &walk->pair[walk->depth];
        if (walk->walked > PAIRS_FIRST + PAIRS_EACH * reversal->sets->counts->taken)
            source_choose_sufficing(reversal->at);
        else if (pair->next < pair->visited->count || pair->leave_out)
            step(reversal);
        else if (walk->depth == 0)
            return;
        else
            walk->depth--;
    }
}

void source_reverse_races(struct source_sets *sets, size_t position) {
    struct source_walk *walk = sets->walk;
    struct source_state *at = &sets->at[sets->depth];
    struct reversal reversal = {sets, walk, at, at->offered[position].name, at->offered[position].transition.owner};
    struct pair *first = pair_at(&reversal, 0);
    walk->depth = walk->initials.count = first->initials = 0;
    event_copy_state(&sets->taker, first->shadow, at->state);
    event_copy_state(&sets->taker, first->full, at->state);
    if (event_take(&sets->taker, first->full, reversal.event) && enter(&reversal))
        walk_all(&reversal);
    if (sets->taker.stopped) { /* there is an ordering that comes to what stopped it */
        sets->taker.stopped = false;
        source_choose_sufficing(at);
    }
    name_table_free(&walk->met);
    name_table_free(&walk->shadows);
    walk->met = walk->shadows = (struct name_table){0};
}
