#include "heuristics/strategy.h"

#include "heuristics/reference_order.h"

const struct strategy *const strategies[] = {&strategy_breadth_first, &strategy_depth_first,   &strategy_late,
                                             &strategy_adjacent,      &strategy_delay_bounded, &strategy_random,
                                             &strategy_pct,           NULL};

const struct strategy *strategy_find(const char *name, size_t length) {
    for (size_t i = 0; strategies[i]; i++)
        if (strlen(strategies[i]->name) == length && memcmp(strategies[i]->name, name, length) == 0)
            return strategies[i];
    return NULL;
}

size_t strategy_default(const struct strategy_choice *choice, const uint32_t *chosen, size_t count) {
    size_t position = reference_default(choice->list, chosen, count);
    if (position != REFERENCE_NONE)
        return position;
    position = chosen[0];
    for (size_t i = 1; i < count; i++)
        if (choice->progress[choice->list[chosen[i]].owner] < choice->progress[choice->list[position].owner])
            position = chosen[i];
    return position;
}
