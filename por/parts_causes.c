/* What an event needs, by way of all ranks: a message all causes of its being given, and what these need. */
#include "por/parts_inside.h"

#include <string.h>

static void add_need(struct parts *parts, uint64_t *set, unsigned rank, uint32_t event) {
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
static void add_causes(struct parts *parts, uint64_t *set, const struct gift *gift) {
    const struct part *giver = &parts->part[gift->from];
    for (size_t event = giver->events; event-- > 0;)
        if (set_has(gift->causes, (uint32_t)event))
            add_need(parts, set, gift->from, (uint32_t)event);
}

/* Leaving a meeting needs what the entries of others do. */
static void add_entries(struct parts *parts, uint64_t *set, const struct gift *own, uint32_t *list) {
    const struct parts_model *model = parts->model;
    size_t entries = parts_entries(parts, own, list);
    for (size_t i = 0; i < entries; i++) {
        const struct gift *entry = &parts->gift[list[i]];
        if (entry->from != own->from && model->needs(model->self, own->content, entry->from))
            add_causes(parts, set, entry);
    }
}

void parts_find_needs(struct parts *parts) {
    uint32_t list[parts->model->ranks];
    memset(parts->needs, 0, parts->gifts * parts->words * sizeof *parts->needs);
    for (size_t i = 0; i < parts->ordered; i++) {
        const struct gift *gift = &parts->gift[parts->order[i]];
        uint64_t *set = parts->needs + parts->order[i] * parts->words;
        if (gift->to == PART_MEETING)
            add_entries(parts, set, gift, list);
        else
            add_causes(parts, set, gift);
    }
}
