#include "tests/por/enumerate.h"

#include "models/growing.h"
#include "models/name_table.h"

enum { STATES_MOST = 200000, STEPS_MOST = 1000 };

struct enumeration {
    const struct event_system *system;
    const struct ordering_listener *listener;
    struct ordering_counts *counts;
    struct name_table met;
    bool merged;
    struct ordering_step *step;
    size_t steps, step_room;
};

static bool tell(struct enumeration *all, enum ordering_end end, const void *state) {
    return all->listener->ended(all->listener->context, end, state, all->step, all->steps);
}

static bool visit(struct enumeration *all, const void *state);

static bool take(struct enumeration *all, const void *state, const struct transition *transition, size_t choices) {
    void *next = growing_new(all->system->state_bytes);
    memcpy(next, state, all->system->state_bytes);
    all->step = growing_room(all->step, &all->step_room, all->steps + 1, sizeof *all->step);
    all->step[all->steps++] = (struct ordering_step){*transition, choices};
    all->counts->taken++;
    bool goes_on = false;
    switch (all->system->take(all->system->self, next, transition)) {
    case EVENT_TAKEN: goes_on = visit(all, next); break;
    case EVENT_FAULT: goes_on = tell(all, ORDERING_FAULT, next); break;
    case EVENT_ENDLESS: goes_on = tell(all, ORDERING_CUT, next); break;
    case EVENT_STOPPED: break;
    }
    all->steps--;
    free(next);
    return goes_on;
}

static struct name name_at(const struct enumeration *all, const void *state) {
    return all->merged ? all->system->place(all->system->self, state) : name_of(state, all->system->state_bytes);
}

static bool visit(struct enumeration *all, const void *state) {
    struct name name = name_at(all, state);
    if (name_table_find(&all->met, name) != NAME_UNKNOWN)
        return true;
    if (all->met.used == STATES_MOST || all->steps == STEPS_MOST)
        return false;
    name_table_add(&all->met, name, (uint32_t)all->met.used);
    const struct event_offered *list;
    size_t count = all->system->offered(all->system->self, state, &list);
    struct event_offered *offered = growing_new((count + 1) * sizeof *offered);
    for (size_t i = 0; i < count; i++)
        offered[i] = list[i];
    all->counts->orderings += !count;
    bool goes_on = count > 0 || tell(all, ORDERING_QUIET, state);
    for (size_t i = 0; i < count && goes_on; i++)
        goes_on = take(all, state, &offered[i].transition, count);
    free(offered);
    return goes_on;
}

static bool enumerate(struct enumeration all, const void *initial) {
    *all.counts = (struct ordering_counts){0};
    bool goes_on = visit(&all, initial);
    name_table_free(&all.met);
    free(all.step);
    return goes_on;
}

bool enumerate_orderings(const struct event_system *system, const void *initial, const struct ordering_listener *listener,
                         struct ordering_counts *counts) {
    return enumerate((struct enumeration){.system = system, .listener = listener, .counts = counts}, initial);
}

bool enumerate_places(const struct event_system *system, const void *initial, const struct ordering_listener *listener,
                      struct ordering_counts *counts) {
    return enumerate((struct enumeration){.system = system, .listener = listener, .counts = counts, .merged = true}, initial);
}
