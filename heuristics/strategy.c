#include "heuristics/strategy.h"

#include "heuristics/reference_order.h"

const struct strategy *const strategies[] = {&strategy_breadth_first, &strategy_depth_first, &strategy_late, &strategy_adjacent,
                                             &strategy_delay_bounded, &strategy_random,      &strategy_pct,  NULL};

/* NULL: there is none of this name. */
static const struct strategy *find(const char *name, size_t length) {
    for (size_t i = 0; strategies[i]; i++)
        if (strlen(strategies[i]->name) == length && memcmp(strategies[i]->name, name, length) == 0)
            return strategies[i];
    return NULL;
}

static size_t add(const struct strategy *list[STRATEGIES_MOST], size_t count, const struct strategy *strategy) {
    for (size_t i = 0; i < count; i++)
        if (list[i] == strategy)
            return count;
    list[count] = strategy;
    return count + 1;
}

size_t strategies_named(const char *names, const struct strategy *list[STRATEGIES_MOST]) {
    size_t count = 0;
    if (strcmp(names, "portfolio") == 0) {
        for (; strategies[count]; count++)
            list[count] = strategies[count];
        return count;
    }
    for (;;) {
        size_t length = strcspn(names, ",");
        const struct strategy *strategy = find(names, length);
        if (!strategy)
            return 0;
        count = add(list, count, strategy);
        if (!names[length])
            return count;
        names += length + 1;
    }
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
