/* Delay-bounded orderings (Emmi, Qadeer, Rakamaric, POPL 2011) of a queue: transitions are taken in the order in which they came to
 * be offered, which is that of the messages sent (the breadth-first traversal of Schaeli 2009, section 4.5.5). A delay puts the
 * head of the queue to its end. First no delay, then one, two, …: n transitions and d delays make at most n^d orderings.
 *
 * Misses come after all others in the queue: time passes only where nothing else happens, or by a delay of all else. */
#include "heuristics/arrivals.h"
#include "heuristics/deviations.h"

static bool goes_before(const struct arrivals *arrivals, const struct strategy_choice *choice, uint32_t x, uint32_t y) {
    if (choice->list[x].miss != choice->list[y].miss)
        return choice->list[y].miss;
    return arrivals->item[arrivals->of[x]].turn < arrivals->item[arrivals->of[y]].turn;
}

/* The queue: who is n-th costs n delays. */
static size_t rate(void *self, const struct strategy_choice *choice, struct candidate *candidate) {
    struct arrivals *arrivals = self;
    arrivals_look(arrivals, choice->list, choice->count);
    for (uint32_t i = 0; i < choice->count; i++) {
        uint32_t at = i;
        for (; at > 0 && goes_before(arrivals, choice, i, candidate[at - 1].position); at--)
            candidate[at].position = candidate[at - 1].position;
        candidate[at].position = i;
    }
    for (uint32_t i = 0; i < choice->count; i++)
        candidate[i].cost = i;
    return choice->count;
}

static void take(void *self, const struct strategy_choice *choice, const struct candidate *candidate, size_t taken) {
    (void)choice;
    for (size_t i = 0; i < taken; i++)
        arrivals_put_back(self, candidate[i].position);
    arrivals_take(self, candidate[taken].position);
}

static const struct deviation_rule rule = {
    .create = arrivals_create, .destroy = arrivals_destroy, .begin = arrivals_begin, .rate = rate, .take = take};

static void *create(unsigned ranks, uint64_t seed) {
    (void)seed;
    return deviations_create(&rule, ranks);
}

const struct strategy strategy_delay_bounded = {.name = "delay-bounded",
                                                .create = create,
                                                .destroy = deviations_destroy,
                                                .begin = deviations_begin,
                                                .choose = deviations_choose,
                                                .memory = deviations_memory};
