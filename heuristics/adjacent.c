/* Each pair of messages adjacent (Schaeli 2009, expression 4.2): for events a and b that concern one rank, both ways, an ordering
 * in which first happens what they need, then a, then b, then the rest. What they need is known from the orderings in which they
 * were first met; if that is not enough here, or too much, what else can happen does so, until both can. Events of different ranks
 * need not be adjacent: their order is decided by what they cause. */
#include "heuristics/held_back.h"
#include "models/growing.h"

struct adjacent {
    struct known_events events;
    struct held_back held;
    uint32_t first, second; /* NO_EVENT: none, in the first ordering */
    uint32_t newer, older;  /* the pair that is next: newer > older; twice */
    bool reversed;
    bool *needed; /* by event */
    size_t needed_room;
    size_t events_then; /* known when the ordering began */
    uint32_t *stack;
    size_t stack_room;
};

static void *create(unsigned ranks, uint64_t seed) {
    (void)seed;
    struct adjacent *adjacent = growing_new(sizeof *adjacent);
    known_events_begin(&adjacent->events, ranks);
    return adjacent;
}

static void destroy(void *self) {
    struct adjacent *adjacent = self;
    known_events_end(&adjacent->events);
    held_back_end(&adjacent->held);
    free(adjacent->needed);
    free(adjacent->stack);
    free(adjacent);
}

static bool concern_one_rank(const struct event *x, const struct event *y) {
    return x->owner == y->owner || x->partner == y->owner || x->owner == y->partner || x->partner == y->partner;
}

/* Steps to the next pair, (newer, older) and then (older, newer). */
static void step(struct adjacent *adjacent) {
    adjacent->reversed = !adjacent->reversed;
    if (adjacent->reversed)
        return;
    if (++adjacent->older == adjacent->newer) {
        adjacent->newer++;
        adjacent->older = 0;
    }
}

static bool next_pair(struct adjacent *adjacent) {
    const struct known_event *item = adjacent->events.item;
    if (!adjacent->newer) { /* the first ordering has no pair */
        adjacent->newer = 1;
        adjacent->reversed = true;
        adjacent->first = adjacent->second = NO_EVENT;
        return true;
    }
    if (adjacent->first == NO_EVENT)
        adjacent->reversed = false;
    else
        step(adjacent);
    while (adjacent->newer < adjacent->events.count &&
           !concern_one_rank(&item[adjacent->newer].event, &item[adjacent->older].event))
        step(adjacent);
    adjacent->first = adjacent->reversed ? adjacent->older : adjacent->newer;
    adjacent->second = adjacent->reversed ? adjacent->newer : adjacent->older;
    return adjacent->newer < adjacent->events.count;
}

/* What its partner had got, what its partners had, … */
static void need(struct adjacent *adjacent, uint32_t event) {
    size_t waiting = 0;
    for (uint32_t at = event;;) {
        for (uint32_t cause = adjacent->events.item[at].cause; cause != NO_EVENT && !adjacent->needed[cause];
             cause = adjacent->events.item[cause].before) {
            adjacent->needed[cause] = true;
            adjacent->stack = growing_room(adjacent->stack, &adjacent->stack_room, waiting + 1, sizeof *adjacent->stack);
            adjacent->stack[waiting++] = cause;
        }
        if (!waiting)
            return;
        at = adjacent->stack[--waiting];
    }
}

static bool begin(void *self) {
    struct adjacent *adjacent = self;
    known_events_new_ordering(&adjacent->events);
    held_back_new_ordering(&adjacent->held);
    if (!next_pair(adjacent))
        return false;
    adjacent->events_then = adjacent->events.count;
    if (adjacent->first == NO_EVENT)
        return true;
    adjacent->needed = growing_room(adjacent->needed, &adjacent->needed_room, adjacent->events_then, sizeof *adjacent->needed);
    memset(adjacent->needed, 0, adjacent->events_then * sizeof *adjacent->needed);
    need(adjacent, adjacent->first);
    need(adjacent, adjacent->second);
    return true;
}

static bool is_of_neither(const void *context, const struct transition *transition) {
    const struct adjacent *adjacent = context;
    uint32_t event = known_events_find(&adjacent->events, transition);
    return event == NO_EVENT || (event != adjacent->first && event != adjacent->second);
}

static bool is_needed(const void *context, const struct transition *transition) {
    const struct adjacent *adjacent = context;
    uint32_t event = known_events_find(&adjacent->events, transition);
    return event < adjacent->events_then && adjacent->needed[event] && is_of_neither(adjacent, transition);
}

static bool anything(const void *context, const struct transition *transition) {
    (void)context;
    (void)transition;
    return true;
}

static size_t find(const struct adjacent *adjacent, const struct strategy_choice *choice, uint32_t event) {
    for (size_t i = 0; i < choice->count && event != NO_EVENT; i++)
        if (known_events_find(&adjacent->events, &choice->list[i]) == event)
            return i;
    return SIZE_MAX;
}

static bool has_happened(const struct adjacent *adjacent, uint32_t event) {
    return event == NO_EVENT || adjacent->events.happened[event];
}

/* What is needed and real, else anything else. */
static size_t come_nearer(struct adjacent *adjacent, const struct strategy_choice *choice) {
    unsigned misses = adjacent->held.misses;
    size_t position = held_back_choose(&adjacent->held, choice, is_needed, adjacent);
    if (position != SIZE_MAX && !choice->list[position].miss)
        return position;
    adjacent->held.misses = misses;
    return held_back_choose(&adjacent->held, choice, is_of_neither, adjacent);
}

static size_t pick(struct adjacent *adjacent, const struct strategy_choice *choice) {
    size_t first = find(adjacent, choice, adjacent->first), second = find(adjacent, choice, adjacent->second);
    if (has_happened(adjacent, adjacent->first)) {
        if (second != SIZE_MAX)
            return second;
        return held_back_choose(&adjacent->held, choice, anything, adjacent);
    }
    if (has_happened(adjacent, adjacent->second))
        return held_back_choose(&adjacent->held, choice, anything, adjacent);
    if (first != SIZE_MAX && second != SIZE_MAX)
        return first;
    size_t position = come_nearer(adjacent, choice);
    return position != SIZE_MAX ? position : first != SIZE_MAX ? first : second;
}

static size_t choose(void *self, const struct strategy_choice *choice) {
    struct adjacent *adjacent = self;
    known_events_look(&adjacent->events, choice->list, choice->count);
    size_t position = pick(adjacent, choice);
    known_events_take(&adjacent->events, &choice->list[position]);
    return position;
}

static uint64_t memory(const void *self) {
    const struct adjacent *adjacent = self;
    return sizeof *adjacent + known_events_memory(&adjacent->events) + adjacent->held.room * sizeof *adjacent->held.chosen +
           adjacent->needed_room * sizeof *adjacent->needed + adjacent->stack_room * sizeof *adjacent->stack;
}

const struct strategy strategy_adjacent = {
    .name = "adjacent", .create = create, .destroy = destroy, .begin = begin, .choose = choose, .memory = memory};
