/* What an event needs, by way of all ranks: that its message was given, and so one of the pasts that this may have. A rank may give
 * a message when the first of several has come, whichever it is: hence several. */
#include "models/growing.h"
#include "por/parts_inside.h"

#include <string.h>

enum { PASTS_MOST = 64 }; /* of a gift; if there are more, only what all have in common is kept */

void parts_add_event(const struct parts *parts, uint64_t *set, unsigned rank, size_t event) {
    const struct part *part = &parts->part[rank];
    size_t place = part->base * 64 + event;
    if (set_has(set, (uint32_t)place))
        return;
    set_add(set, (uint32_t)place);
    set_add_all(set, parts->needs + part->event[event] * parts->words, parts->words);
}

static void keep_common(uint64_t *set, const uint64_t *other, size_t words) {
    for (size_t i = 0; i < words; i++)
        set[i] &= other[i];
}

static uint64_t *past_of(const struct parts *parts, const struct gift *gift, size_t past) {
    return gift->past + past * parts->words;
}

bool parts_add_past(struct parts *parts, struct gift *gift, const uint64_t *past) {
    size_t words = parts->words, kept = 0;
    for (size_t i = 0; i < gift->pasts; i++)
        if (set_includes(past, past_of(parts, gift, i), words))
            return false;
    for (size_t i = 0; i < gift->pasts; i++)
        if (!set_includes(past_of(parts, gift, i), past, words))
            memmove(past_of(parts, gift, kept++), past_of(parts, gift, i), words * sizeof *past);
    parts->past_bytes -= gift->past_room * sizeof *past;
    gift->past = growing_room(gift->past, &gift->past_room, (kept + 1) * words, sizeof *past);
    parts->past_bytes += gift->past_room * sizeof *past;
    memcpy(past_of(parts, gift, kept++), past, words * sizeof *past);
    gift->pasts = kept;
    if (kept <= PASTS_MOST)
        return true;
    for (size_t i = 1; i < kept; i++)
        keep_common(gift->past, past_of(parts, gift, i), words);
    gift->pasts = 1;
    return true;
}

/* The last ones first: they need most of the others. */
static void find_past(struct parts *parts, struct gift *gift) {
    gift->past = growing_room(NULL, &gift->past_room, parts->words, sizeof *gift->past);
    parts->past_bytes += gift->past_room * sizeof *gift->past;
    memset(gift->past, 0, parts->words * sizeof *gift->past);
    gift->pasts = 1;
    for (size_t event = gift->prior; event-- > 0;)
        parts_add_event(parts, gift->past, gift->from, event);
    const struct part *giver = &parts->part[gift->from];
    for (size_t i = 0; giver->synchronous && i < giver->gives; i++) {
        const struct gift *own = &parts->gift[giver->given[i]];
        if (own->synchronous && own->released_in <= gift->given_in)
            parts_add_event(parts, gift->past, own->to, own->event);
    }
}

/* Adds what all pasts of the gift have in common. */
static void need_gift(const struct parts *parts, uint64_t *set, const struct gift *gift) {
    uint64_t common[parts->words + 1];
    memcpy(common, gift->past, parts->words * sizeof *common);
    for (size_t i = 1; i < gift->pasts; i++)
        keep_common(common, past_of(parts, gift, i), parts->words);
    set_add_all(set, common, parts->words);
}

/* Leaving a meeting needs what the entries of others do. */
static void need_entries(struct parts *parts, uint64_t *set, const struct gift *own, bool first) {
    const struct parts_model *model = parts->model;
    uint32_t list[model->ranks];
    size_t entries = parts_entries(parts, own, list);
    for (size_t i = 0; i < entries; i++) {
        struct gift *entry = &parts->gift[list[i]];
        if (first && !entry->pasts)
            find_past(parts, entry);
        if (entry->from != own->from && model->needs(model->self, own->content, entry->from))
            need_gift(parts, set, entry);
    }
}

void parts_find_needs(struct parts *parts, bool first) {
    memset(parts->needs, 0, parts->gifts * parts->words * sizeof *parts->needs);
    for (size_t i = 0; i < parts->gifts; i++) {
        uint32_t number = parts->order[i];
        struct gift *gift = &parts->gift[number];
        uint64_t *set = parts->needs + number * parts->words;
        if (gift->to == PART_MEETING) {
            need_entries(parts, set, gift, first);
            continue;
        }
        if (first)
            find_past(parts, gift);
        need_gift(parts, set, gift);
    }
}
