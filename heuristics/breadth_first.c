/* The reference ordering, then all that differ from it in one decision, in two, …: the search's order, without its graph. */
#include "heuristics/deviations.h"
#include "models/growing.h"

/* rate needs a list of all positions. */
struct positions {
    uint32_t *item;
    size_t room;
};

static void *create_positions(unsigned ranks) {
    (void)ranks;
    return growing_new(sizeof(struct positions));
}

static void destroy_positions(void *self) {
    free(((struct positions *)self)->item);
    free(self);
}

static size_t rate(void *self, const struct strategy_choice *choice, struct candidate *candidate) {
    struct positions *all = self;
    all->item = growing_room(all->item, &all->room, choice->count, sizeof *all->item);
    for (size_t i = 0; i < choice->count; i++)
        all->item[i] = (uint32_t)i;
    size_t base = strategy_default(choice, all->item, choice->count), count = 1;
    candidate[0] = (struct candidate){(uint32_t)base, 0};
    for (size_t i = 0; i < choice->count; i++)
        if (i != base)
            candidate[count++] = (struct candidate){(uint32_t)i, 1};
    return count;
}

static const struct deviation_rule rule = {.create = create_positions, .destroy = destroy_positions, .rate = rate};

static void *create(unsigned ranks, uint64_t seed) {
    (void)seed;
    return deviations_create(&rule, ranks);
}

const struct strategy strategy_breadth_first = {.name = "breadth-first",
                                                .create = create,
                                                .destroy = deviations_destroy,
                                                .begin = deviations_begin,
                                                .choose = deviations_choose,
                                                .memory = deviations_memory};
