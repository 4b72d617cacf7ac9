/* What an event needs, by way of all ranks: that its message was given, and so what precedes that in every order of its giver; and what
 * all of these have in common need. */
#include "por/parts_inside.h"

#include <string.h>

void parts_add_event(const struct parts *parts, uint64_t *set, unsigned rank, size_t event) {
    const struct part *part = &parts->part[rank];
    size_t place = part->base * 64 + event;
    if (set_has(set, (uint32_t)place))
        return;
    set_add(set, (uint32_t)place);
    const uint64_t *more = parts->needs + part->event[event] * parts->words;
    for (size_t i = 0; i < parts->words; i++)
        set[i] |= more[i];
}

/* The last ones first: they need most of the others. */
static void find_causes(const struct parts *parts, uint32_t number) {
    const struct gift *gift = &parts->gift[number];
    for (size_t event = gift->prior; event-- > 0;)
        parts_add_event(parts, parts->causes + number * parts->words, gift->from, event);
}

static void unite(const struct parts *parts, uint64_t *set, const uint64_t *more) {
    for (size_t i = 0; i < parts->words; i++)
        set[i] |= more[i];
}

/* Leaving a meeting needs what the entries of others do. */
static void need_entries(const struct parts *parts, uint64_t *set, const struct gift *own, bool first) {
    const struct parts_model *model = parts->model;
    uint32_t list[model->ranks];
    size_t entries = parts_entries(parts, own, list);
    for (size_t i = 0; i < entries; i++) {
        if (first)
            find_causes(parts, list[i]);
        if (parts->gift[list[i]].from != own->from && model->needs(model->self, own->content, parts->gift[list[i]].from))
            unite(parts, set, parts->causes + list[i] * parts->words);
    }
}

void parts_find_needs(struct parts *parts, bool first) {
    memset(parts->needs, 0, parts->gifts * parts->words * sizeof *parts->needs);
    for (size_t i = 0; i < parts->gifts; i++) {
        uint32_t number = parts->order[i];
        const struct gift *gift = &parts->gift[number];
        uint64_t *set = parts->needs + number * parts->words;
        if (gift->to == PART_MEETING) {
            need_entries(parts, set, gift, first);
            continue;
        }
        if (first)
            find_causes(parts, number);
        unite(parts, set, parts->causes + number * parts->words);
    }
}
