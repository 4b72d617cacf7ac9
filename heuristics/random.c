/* Orderings by lot: equally probable where it is known how many follow each transition (known_orders.h); elsewhere each transition
 * is, so that an ordering with fewer choices on its way is met more often. All that it has have been given when all are known. */
#include "heuristics/known_orders.h"
#include "heuristics/lot.h"
#include "heuristics/strategy.h"
#include "models/growing.h"

struct lots {
    uint64_t lot;
    struct known_orders orders;
};

static void *create(unsigned ranks, uint64_t seed) {
    (void)ranks;
    struct lots *lots = growing_new(sizeof *lots);
    lots->lot = seed;
    return lots;
}

static void destroy(void *self) {
    known_orders_free(&((struct lots *)self)->orders);
    free(self);
}

static bool begin(void *self) { return known_orders_begin(&((struct lots *)self)->orders); }

/* Of all transitions; 0: that of one is not known. */
static double sum_of(const double *following, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (following[i] == 0)
            return 0;
        sum += following[i];
    }
    return sum;
}

static size_t draw(uint64_t *lot, const double *following, size_t count) {
    double sum = sum_of(following, count);
    if (sum == 0)
        return lot_among(lot, count);
    double left = (double)(lot_draw(lot) >> 11) * 0x1p-53 * sum;
    size_t position = 0;
    while (position + 1 < count && left >= following[position])
        left -= following[position++];
    return position;
}

static size_t choose(void *self, const struct strategy_choice *choice) {
    struct lots *lots = self;
    size_t position = draw(&lots->lot, known_orders_meet(&lots->orders, choice->state, choice->count), choice->count);
    known_orders_take(&lots->orders, position);
    return position;
}

static void end(void *self) { known_orders_end(&((struct lots *)self)->orders); }

static uint64_t memory(const void *self) {
    return sizeof(struct lots) + known_orders_memory(&((const struct lots *)self)->orders);
}

const struct strategy strategy_random = {
    .name = "random", .create = create, .destroy = destroy, .begin = begin, .choose = choose, .end = end, .memory = memory};
