/* Depth-first executions of the unfolded flow graph (Schaeli 2009, sections 4.5.5 and 5.5.5): messages in transit are a stack of
 * sets, each of those that one delivery brought about, and a message of the topmost set is delivered. So one branch goes on as far
 * as it can while all others are delayed. Within the set the message goes first whose owner and partner have come farthest; other
 * orders of branches are deviations from that, and all are given, by their number.
 *
 * A miss is no branch: a rank that polls would hold up all others for ever. It comes into question as a deviation, and otherwise
 * only where there is nothing else. */
#include "heuristics/arrivals.h"
#include "heuristics/deviations.h"

static uint32_t farthest(const struct strategy_choice *choice, size_t position) {
    const struct transition *transition = &choice->list[position];
    uint32_t owner = choice->progress[transition->owner], partner = choice->progress[transition->partner];
    return owner > partner ? owner : partner;
}

/* Is x to go before y, both of one set or misses? Among misses the rank goes first that has come least far, so that all poll in
 * turn. */
static bool goes_before(const struct strategy_choice *choice, size_t x, size_t y) {
    const struct transition *a = &choice->list[x], *b = &choice->list[y];
    if (a->miss || b->miss)
        return a->miss == b->miss ? choice->progress[a->owner] < choice->progress[b->owner] : b->miss;
    if (a->optional != b->optional)
        return b->optional;
    return farthest(choice, x) > farthest(choice, y);
}

static size_t rate(void *self, const struct strategy_choice *choice, struct candidate *candidate) {
    struct arrivals *arrivals = self;
    arrivals_look(arrivals, choice->list, choice->count);
    uint32_t topmost = 0;
    for (size_t i = 0; i < choice->count; i++)
        if (!choice->list[i].miss && arrivals->item[arrivals->of[i]].set > topmost)
            topmost = arrivals->item[arrivals->of[i]].set;
    size_t count = 0;
    for (size_t i = 0; i < choice->count; i++)
        if (choice->list[i].miss || arrivals->item[arrivals->of[i]].set == topmost)
            candidate[count++] = (struct candidate){(uint32_t)i, 1};
    size_t base = 0;
    for (size_t i = 1; i < count; i++)
        if (goes_before(choice, candidate[i].position, candidate[base].position))
            base = i;
    struct candidate first = candidate[base];
    candidate[base] = candidate[0];
    candidate[0] = (struct candidate){first.position, 0};
    return count;
}

static void take(void *self, const struct strategy_choice *choice, const struct candidate *candidate, size_t taken) {
    (void)choice;
    arrivals_take(self, candidate[taken].position);
}

static const struct deviation_rule rule = {
    .create = arrivals_create, .destroy = arrivals_destroy, .begin = arrivals_begin, .rate = rate, .take = take};

static void *create(unsigned ranks, uint64_t seed) {
    (void)seed;
    return deviations_create(&rule, ranks);
}

const struct strategy strategy_depth_first = {.name = "depth-first",
                                              .create = create,
                                              .destroy = deviations_destroy,
                                              .begin = deviations_begin,
                                              .choose = deviations_choose,
                                              .memory = deviations_memory};
