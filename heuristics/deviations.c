#include "heuristics/deviations.h"

#include "models/growing.h"

/* Costs above that are not tried; more orderings than that are not kept waiting, the dearest and latest being those left out. */
enum { COST_MOST = 63, WAITING_MOST = 1 << 22 };
#define NOTHING UINT32_MAX

/* An ordering that waits, or was walked: its parent's deviations and one more. */
struct deviation {
    uint32_t parent, next; /* next: of the same cost, in order of arrival */
    uint32_t point;        /* where it deviates; the base ordering: NOTHING */
    uint32_t taken : 26, cost : 6;
};

struct queue {
    uint32_t first, last;
};

struct deviations {
    const struct deviation_rule *rule;
    void *self;
    struct deviation *deviation;
    size_t count, room;
    struct queue waiting[COST_MOST + 1];
    uint32_t here;  /* the ordering at hand */
    uint32_t *path; /* its deviations, the last one first */
    size_t path_length, path_room;
    uint32_t point; /* the next */
    struct candidate *candidate;
    size_t candidate_room;
};

static void add(struct deviations *all, uint32_t parent, uint32_t point, uint32_t taken, uint32_t cost) {
    if (cost > COST_MOST || all->count == WAITING_MOST || taken >= 1u << 26)
        return;
    all->deviation = growing_room(all->deviation, &all->room, all->count + 1, sizeof *all->deviation);
    uint32_t number = (uint32_t)all->count++;
    all->deviation[number] =
        (struct deviation){.parent = parent, .next = NOTHING, .point = point, .taken = taken & 0x3ffffff, .cost = cost & 63};
    struct queue *queue = &all->waiting[cost];
    if (queue->first == NOTHING)
        queue->first = number;
    else
        all->deviation[queue->last].next = number;
    queue->last = number;
}

struct deviations *deviations_create(const struct deviation_rule *rule, unsigned ranks) {
    struct deviations *all = growing_new(sizeof *all);
    all->rule = rule;
    all->self = rule->create ? rule->create(ranks) : NULL;
    for (int cost = 0; cost <= COST_MOST; cost++)
        all->waiting[cost] = (struct queue){NOTHING, NOTHING};
    add(all, NOTHING, NOTHING, 0, 0);
    return all;
}

void deviations_destroy(void *deviations) {
    struct deviations *all = deviations;
    if (all->rule->destroy)
        all->rule->destroy(all->self);
    free(all->deviation);
    free(all->path);
    free(all->candidate);
    free(all);
}

bool deviations_begin(void *deviations) {
    struct deviations *all = deviations;
    int cost = 0;
    while (cost <= COST_MOST && all->waiting[cost].first == NOTHING)
        cost++;
    if (cost > COST_MOST)
        return false;
    all->here = all->waiting[cost].first;
    all->waiting[cost].first = all->deviation[all->here].next;
    all->path_length = 0;
    for (uint32_t at = all->here; all->deviation[at].parent != NOTHING; at = all->deviation[at].parent) {
        all->path = growing_room(all->path, &all->path_room, all->path_length + 1, sizeof *all->path);
        all->path[all->path_length++] = at;
    }
    all->point = 0;
    if (all->rule->begin)
        all->rule->begin(all->self);
    return true;
}

/* The candidate that the ordering at hand takes at this point. */
static size_t planned(struct deviations *all, uint32_t point) {
    if (!all->path_length)
        return 0;
    const struct deviation *next = &all->deviation[all->path[all->path_length - 1]];
    if (next->point != point)
        return 0;
    all->path_length--;
    return next->taken;
}

static bool is_beyond(const struct deviations *all, uint32_t point) {
    uint32_t last = all->deviation[all->here].point;
    return last == NOTHING || point > last;
}

size_t deviations_choose(void *deviations, const struct strategy_choice *choice) {
    struct deviations *all = deviations;
    all->candidate = growing_room(all->candidate, &all->candidate_room, choice->count, sizeof *all->candidate);
    size_t candidates = all->rule->rate(all->self, choice, all->candidate);
    uint32_t point = all->point++;
    if (is_beyond(all, point))
        for (size_t i = 1; i < candidates; i++)
            add(all, all->here, point, (uint32_t)i, all->deviation[all->here].cost + all->candidate[i].cost);
    size_t taken = planned(all, point);
    if (taken >= candidates) /* the ordering did not go as the last time: whoever walks it is not deterministic */
        taken = 0;
    if (all->rule->take)
        all->rule->take(all->self, choice, all->candidate, taken);
    return all->candidate[taken].position;
}

uint64_t deviations_memory(const void *deviations) {
    const struct deviations *all = deviations;
    return sizeof *all + all->room * sizeof *all->deviation + all->path_room * sizeof *all->path +
           all->candidate_room * sizeof *all->candidate;
}
