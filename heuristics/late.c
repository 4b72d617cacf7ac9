/* Each message as late as possible (Schaeli 2009, expression 4.1): for every event a that some ordering offered, one ordering in
 * which all that does not need a happens before it. The first ordering is the reference, by which the first events are known. */
#include "heuristics/held_back.h"
#include "models/growing.h"

struct late {
    struct known_events events;
    struct held_back held;
    uint32_t target; /* held back; NO_EVENT: nothing, in the first ordering */
};

static void *create(unsigned ranks, uint64_t seed) {
    (void)seed;
    struct late *late = growing_new(sizeof *late);
    known_events_begin(&late->events, ranks);
    late->target = NO_EVENT - 1;
    return late;
}

static void destroy(void *self) {
    struct late *late = self;
    known_events_end(&late->events);
    held_back_end(&late->held);
    free(late);
}

/* NO_EVENT, 0, 1, … */
static bool begin(void *self) {
    struct late *late = self;
    late->target++;
    known_events_new_ordering(&late->events);
    held_back_new_ordering(&late->held);
    return late->target == NO_EVENT || late->target < late->events.count;
}

static bool is_not_target(const void *context, const struct transition *transition) {
    const struct late *late = context;
    return late->target == NO_EVENT || known_events_find(&late->events, transition) != late->target;
}

static size_t target_of(const struct late *late, const struct strategy_choice *choice) {
    size_t at = 0;
    while (at + 1 < choice->count && (choice->list[at].miss || is_not_target(late, &choice->list[at])))
        at++;
    return at;
}

static size_t choose(void *self, const struct strategy_choice *choice) {
    struct late *late = self;
    known_events_look(&late->events, choice->list, choice->count);
    size_t position = held_back_choose(&late->held, choice, is_not_target, late);
    if (position == SIZE_MAX)
        position = target_of(late, choice);
    known_events_take(&late->events, &choice->list[position]);
    return position;
}

static uint64_t memory(const void *self) {
    const struct late *late = self;
    return sizeof *late + known_events_memory(&late->events) + late->held.room * sizeof *late->held.chosen;
}

const struct strategy strategy_late = {
    .name = "late", .create = create, .destroy = destroy, .begin = begin, .choose = choose, .memory = memory};
