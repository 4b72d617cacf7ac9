#include "explorer/recorded_ordering.h"

#include "explorer/choices_of_walk.h"
#include "explorer/memory.h"

#include <stdlib.h>

static void add(struct ordering *ordering, size_t *room, const struct transition *transition) {
    ordering->decision = memory_room(ordering->decision, room, ordering->decisions, sizeof *ordering->decision);
    ordering->decision[ordering->decisions++] = (struct decision){.transition = *transition};
}

bool recorded_ordering_find(struct exploration *exploration, const struct choices *wanted, struct ordering *ordering,
                            char *sentence, size_t room) {
    struct walk walk = ending_walk(exploration);
    struct choice_guide guide;
    size_t decision_room = 0;
    choice_guide_begin(&guide, walk.ranks, exploration->options->buffering, wanted);
    walk.taking = choice_collector_taking;
    walk.stepped = choice_collector_stepped;
    walk.context = &guide.seen;
    *ordering = (struct ordering){0};
    *sentence = 0;
    enum walk_end end = walk_determined(&walk);
    while (end == WALK_QUIET) {
        const struct transition *list;
        size_t count = walk_offered(&walk, &list);
        size_t picked = choice_guide_pick(&guide, walk.model, walk.state, list, count);
        if (picked == count)
            break;
        if (walk_is_decision(&list[picked], count))
            add(ordering, &decision_room, &list[picked]);
        end = walk_take(&walk, &list[picked]);
    }
    snprintf(sentence, room, "%s", guide.sentence);
    choice_guide_end(&guide, walk.ranks);
    walk_free(&walk);
    return !*sentence && end != WALK_STOPPED;
}
