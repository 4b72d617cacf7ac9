/* Uniform random walks: each transition offered is taken with the same probability. Orderings are not equally probable: one with fewer
 * choices on its way is met more often. */
#include "heuristics/lot.h"
#include "heuristics/strategy.h"
#include "models/growing.h"

static void *create(unsigned ranks, uint64_t seed) {
    (void)ranks;
    uint64_t *lot = growing_new(sizeof *lot);
    *lot = seed;
    return lot;
}

static bool begin(void *self) {
    (void)self;
    return true;
}

static size_t choose(void *self, const struct strategy_choice *choice) { return lot_among(self, choice->count); }

static uint64_t memory(const void *self) {
    (void)self;
    return sizeof(uint64_t);
}

const struct strategy strategy_random = {
    .name = "random", .create = create, .destroy = free, .begin = begin, .choose = choose, .memory = memory};
