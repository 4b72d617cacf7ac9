#include "models/growing.h"
#include "por/source_sets_parts.h"

#include <string.h>

/* A way is cut after so many events. */
enum { STEPS_MOST = 1 << 16 };

/* --- a state ----------------------------------------------------------------------------------------------------------------- */

static void mark_sufficing(struct source_sets *sets, struct source_state *at) {
    const struct event_system *system = sets->taker.system;
    const uint32_t *position = NULL;
    size_t count = system->persistent ? system->persistent(system->self, at->state, &position) : at->count;
    at->sufficing = count;
    for (size_t i = 0; i < count; i++)
        at->mark[position ? position[i] : i] = EVENT_SUFFICES;
}

/* What to begin with: polls that fail come last. */
static void choose_first(struct source_state *at) {
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < at->count; i++)
        if (at->mark[i] & EVENT_SUFFICES &&
            (best == SIZE_MAX || (at->offered[best].transition.miss && !at->offered[i].transition.miss)))
            best = i;
    source_choose(at, best);
}

static void choose_all(struct source_state *at) {
    for (size_t i = 0; i < at->count; i++)
        source_choose(at, i);
}

static struct source_state *state_at(struct source_sets *sets, size_t depth) {
    sets->at = growing_room(sets->at, &sets->state_room, depth + 1, sizeof *sets->at);
    sets->step = growing_room(sets->step, &sets->step_room, depth + 1, sizeof *sets->step);
    while (sets->states <= depth)
        sets->at[sets->states++] = (struct source_state){.state = growing_new(sets->taker.system->state_bytes)};
    return &sets->at[depth];
}

static bool tell(struct source_sets *sets, enum ordering_end end, const void *state) {
    sets->counts->orderings += end == ORDERING_QUIET || end == ORDERING_FAULT;
    sets->counts->cut += end == ORDERING_CUT;
    sets->counts->rounds += end == ORDERING_ROUND;
    bool goes_on = sets->listener->ended(sets->listener->context, end, state, sets->step, sets->depth);
    sets->taker.stopped |= !goes_on;
    return goes_on;
}

static uint32_t add_visited(struct source_sets *sets, struct name place) {
    uint32_t number = (uint32_t)sets->places.used;
    name_table_add(&sets->places, place, number);
    sets->visited = growing_room(sets->visited, &sets->visited_room, number + 1, sizeof *sets->visited);
    sets->visited[number] = (struct source_visited){0};
    sets->open = growing_room(sets->open, &sets->open_room, sets->opens + 1, sizeof *sets->open);
    sets->open[sets->opens++] = number;
    sets->counts->states++;
    sets->counts->bytes =
        name_table_bytes(&sets->places) + sets->visited_room * sizeof *sets->visited + sets->taken_room * sizeof *sets->taken;
    return number;
}

/* The state at hand was reached, for the first time. */
static void begin(struct source_sets *sets, struct source_state *at, struct name place) {
    const struct event_system *system = sets->taker.system;
    at->number = at->lowest = add_visited(sets, place);
    at->chosen = at->sufficing = 0;
    at->circles = at->round = at->exits = false;
    system->forget(system->self, at->state);
    at->count = event_list(&sets->taker, at->state, &at->offered, &at->offered_room);
    at->mark = growing_room(at->mark, &at->mark_room, at->count, sizeof *at->mark);
    if (!at->count) {
        tell(sets, ORDERING_QUIET, at->state);
        return;
    }
    memset(at->mark, 0, at->count * sizeof *at->mark);
    mark_sufficing(sets, at);
    choose_first(at);
}

/* --- what is done ------------------------------------------------------------------------------------------------------------ */

/* Is it the first of the states that circles lead to from it (Tarjan)? */
static bool is_first(const struct source_state *at) { return at->lowest == at->number; }

static void note_way_to(struct source_state *at, uint32_t open) {
    at->circles = at->round = true;
    if (open < at->lowest)
        at->lowest = open;
}

/* All that follows the state at hand, the first one on its circles, is explored. */
static void close(struct source_sets *sets, const struct source_state *at) {
    if (at->circles && !at->exits)
        tell(sets, ORDERING_ROUND, at->state);
    while (sets->opens && sets->open[sets->opens - 1] >= at->number) {
        struct source_visited *visited = &sets->visited[sets->open[--sets->opens]];
        visited->done = true;
        visited->round = at->round;
    }
}

/* Nothing more is to be taken in the state at hand. Back to the one before it. */
static void finish(struct source_sets *sets) {
    struct source_state *at = &sets->at[sets->depth], *before = sets->depth ? at - 1 : NULL;
    struct source_visited *visited = &sets->visited[at->number];
    visited->first = sets->takens;
    visited->count = (uint32_t)at->chosen;
    sets->taken = growing_room(sets->taken, &sets->taken_room, sets->takens + at->chosen, sizeof *sets->taken);
    for (size_t i = 0; i < at->count; i++)
        if (at->mark[i] & EVENT_CHOSEN)
            sets->taken[sets->takens++] = (uint32_t)i;
    if (is_first(at))
        close(sets, at);
    if (!before)
        return;
    sets->depth--;
    before->round |= at->round;
    before->exits |= at->exits || is_first(at);
    if (!is_first(at))
        note_way_to(before, at->lowest);
}

/* --- one after another ------------------------------------------------------------------------------------------------------- */

/* The last step led to a state that has been visited. */
static void meet(struct source_sets *sets, uint32_t number) {
    struct source_state *before = &sets->at[--sets->depth];
    const struct source_visited *visited = &sets->visited[number];
    before->exits |= visited->done;
    before->round |= visited->round;
    if (!visited->done)
        note_way_to(before, number);
}

static void arrive(struct source_sets *sets) {
    const struct event_system *system = sets->taker.system;
    struct source_state *at = &sets->at[sets->depth];
    struct name place = system->place(system->self, at->state);
    uint32_t number = name_table_find(&sets->places, place);
    if (number != NAME_UNKNOWN) {
        meet(sets, number);
    } else if (sets->depth < STEPS_MOST) {
        begin(sets, at, place);
    } else {
        tell(sets, ORDERING_CUT, at->state);
        sets->depth--;
    }
}

static void explore(struct source_sets *sets, size_t position) {
    const struct event_system *system = sets->taker.system;
    struct source_state *next = state_at(sets, sets->depth + 1), *at = &sets->at[sets->depth];
    const struct transition transition = at->offered[position].transition;
    at->mark[position] |= EVENT_EXPLORED;
    event_copy_state(&sets->taker, next->state, at->state);
    sets->step[sets->depth++] = (struct ordering_step){transition, at->count};
    sets->counts->taken++;
    switch (system->take(system->self, next->state, &transition)) {
    case EVENT_TAKEN: arrive(sets); return;
    case EVENT_STOPPED:
        tell(sets, ORDERING_STOPPED, next->state);
        sets->taker.stopped = true;
        break;
    case EVENT_ENDLESS: tell(sets, ORDERING_CUT, next->state); break;
    case EVENT_FAULT: /* nothing follows, so what was to come later has to come now */
        tell(sets, ORDERING_FAULT, next->state);
        choose_all(at);
        break;
    }
    at->exits = true;
    sets->depth--;
}

/* An event of the state at hand with the mark `has` and without `misses`; SIZE_MAX: none. */
static size_t find_marked(const struct source_state *at, unsigned has, unsigned misses) {
    for (size_t i = 0; i < at->count; i++)
        if ((at->mark[i] & (has | misses)) == has)
            return i;
    return SIZE_MAX;
}

/* The chosen ones have been explored: chooses more, if that may be needed. False: it is not. */
static bool choose_more(struct source_sets *sets) {
    struct source_state *at = &sets->at[sets->depth];
    size_t chosen = at->chosen;
    if (at->round)
        source_choose_sufficing(at);
    for (size_t i; at->chosen < at->sufficing && (i = find_marked(at, EVENT_EXPLORED, EVENT_REVERSED)) != SIZE_MAX;) {
        at->mark[i] |= EVENT_REVERSED;
        source_reverse_races(sets, i);
    }
    if (at->chosen == chosen && at->circles && is_first(at) && !at->exits)
        choose_all(at);
    return at->chosen > chosen;
}

/* One thing more from the state at hand. False: there is nothing. */
static bool go_on(struct source_sets *sets) {
    size_t next = find_marked(&sets->at[sets->depth], EVENT_CHOSEN, EVENT_EXPLORED);
    if (next == SIZE_MAX)
        return choose_more(sets);
    explore(sets, next);
    return true;
}

static void end(struct source_sets *sets) {
    for (size_t i = 0; i < sets->states; i++) {
        free(sets->at[i].state);
        free(sets->at[i].offered);
        free(sets->at[i].mark);
    }
    free(sets->at);
    free(sets->step);
    free(sets->visited);
    free(sets->taken);
    free(sets->open);
    name_table_free(&sets->places);
    source_walk_destroy(sets->walk);
}

bool source_sets_explore(const struct event_system *system, const void *initial, const struct ordering_listener *listener,
                         struct ordering_counts *counts) {
    struct source_sets sets = {
        .taker = {.system = system}, .listener = listener, .counts = counts, .walk = source_walk_create(system)};
    *counts = (struct ordering_counts){0};
    event_copy_state(&sets.taker, state_at(&sets, 0)->state, initial);
    arrive(&sets);
    for (bool over = false; !over && !sets.taker.stopped;) {
        if (go_on(&sets))
            continue;
        over = sets.depth == 0;
        finish(&sets);
    }
    end(&sets);
    return !sets.taker.stopped;
}
