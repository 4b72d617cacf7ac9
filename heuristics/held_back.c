#include "heuristics/held_back.h"

#include "models/growing.h"

enum { MISSES_IN_A_ROW = 3 };

void held_back_end(struct held_back *held) { free(held->chosen); }

void held_back_new_ordering(struct held_back *held) { held->misses = 0; }

size_t held_back_choose(struct held_back *held, const struct strategy_choice *choice,
                        bool (*may_happen)(const void *context, const struct transition *transition), const void *context) {
    held->chosen = growing_room(held->chosen, &held->room, choice->count, sizeof *held->chosen);
    size_t allowed = 0;
    for (size_t i = 0; i < choice->count; i++)
        if (choice->list[i].miss || may_happen(context, &choice->list[i]))
            held->chosen[allowed++] = (uint32_t)i;
    if (!allowed)
        return SIZE_MAX;
    size_t position = strategy_default(choice, held->chosen, allowed);
    held->misses = choice->list[position].miss ? held->misses + 1 : 0;
    bool others = allowed < choice->count;
    return others && held->misses > MISSES_IN_A_ROW ? SIZE_MAX : position;
}
