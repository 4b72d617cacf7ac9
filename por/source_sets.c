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
    sets->counts->orderings += end != ORDERING_CUT;
    sets->counts->cut += end == ORDERING_CUT;
    bool goes_on = sets->listener->ended(sets->listener->context, end, state, sets->step, sets->depth);
    sets->taker.stopped |= !goes_on;
    return goes_on;
}

static uint32_t add_visited(struct source_sets *sets, struct name place) {
    uint32_t number = (uint32_t)sets->places.used;
    name_table_add(&sets->places, place, number);
    sets->visited = growing_room(sets->visited, &sets->visited_room, number + 1, sizeof *sets->visited);
    sets->visited[number] = (struct source_done){0};
    sets->counts->states++;
    sets->counts->bytes = name_table_bytes(&sets->places) + sets->visited_room * sizeof *sets->visited +
                          sets->taken_room * sizeof *sets->taken;
    return number;
}

/* The state at hand was reached, for the first time. */
static void begin(struct source_sets *sets, struct source_state *at, struct name place) {
    const struct event_system *system = sets->taker.system;
    at->number = add_visited(sets, place);
    at->chosen = 0;
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

/* All that follows the state at hand is explored. */
static void finish(struct source_sets *sets) {
    struct source_state *at = &sets->at[sets->depth];
    struct source_done *done = &sets->visited[at->number];
    *done = (struct source_done){sets->takens, (uint32_t)at->chosen, true};
    sets->taken = growing_room(sets->taken, &sets->taken_room, sets->takens + at->chosen, sizeof *sets->taken);
    for (size_t i = 0; i < at->count; i++)
        if (at->mark[i] & EVENT_CHOSEN)
            sets->taken[sets->takens++] = (uint32_t)i;
    sets->depth--;
}

/* --- one after another ------------------------------------------------------------------------------------------------------- */

/* The state at hand has been reached. Goes back to the one before it if it has been visited. */
static void arrive(struct source_sets *sets) {
    const struct event_system *system = sets->taker.system;
    struct source_state *at = &sets->at[sets->depth];
    struct name place = system->place(system->self, at->state);
    uint32_t number = name_table_find(&sets->places, place);
    bool met = number != NAME_UNKNOWN, merged = met && sets->visited[number].done;
    if (sets->depth < STEPS_MOST && !met) {
        begin(sets, at, place);
        return;
    }
    if (!merged)
        tell(sets, ORDERING_CUT, at->state);
    sets->depth--;
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
    case EVENT_STOPPED: sets->taker.stopped = true; break;
    case EVENT_ENDLESS: tell(sets, ORDERING_CUT, next->state); break;
    case EVENT_FAULT: /* nothing follows, so what was to come later has to come now */
        tell(sets, ORDERING_FAULT, next->state);
        choose_all(at);
        break;
    }
    sets->depth--;
}

/* One thing more from the state at hand. False: there is nothing. */
static bool go_on(struct source_sets *sets) {
    struct source_state *at = &sets->at[sets->depth];
    for (size_t i = 0; i < at->count; i++)
        if ((at->mark[i] & (EVENT_CHOSEN | EVENT_EXPLORED)) == EVENT_CHOSEN) {
            explore(sets, i);
            return true;
        }
    for (size_t i = 0; i < at->count && at->chosen < at->sufficing; i++)
        if ((at->mark[i] & (EVENT_CHOSEN | EVENT_REVERSED)) == EVENT_CHOSEN) {
            at->mark[i] |= EVENT_REVERSED;
            source_reverse_races(sets, i);
            return true;
        }
    return false;
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
    name_table_free(&sets->places);
    source_walk_destroy(sets->walk);
    event_taker_free(&sets->taker);
}

bool source_sets_explore(const struct event_system *system, const void *initial, const struct ordering_listener *listener,
                         struct ordering_counts *counts) {
    struct source_sets sets = {.taker = event_taker_of(system),
                               .listener = listener,
                               .counts = counts,
                               .walk = source_walk_create(system)};
    *counts = (struct ordering_counts){0};
    event_copy_state(&sets.taker, state_at(&sets, 0)->state, initial);
    arrive(&sets);
    while (!sets.taker.stopped) {
        if (go_on(&sets))
            continue;
        if (sets.depth == 0)
            break;
        finish(&sets);
    }
    end(&sets);
    return !sets.taker.stopped;
}
