#include "por/poeg.h"

#include "models/growing.h"
#include "por/parts_inside.h"

#include <string.h>

struct poeg {
    const struct parts *parts;
    uint32_t *number; /* of the event of each gift; all entries of a meeting have one */
    uint64_t *past;   /* for each event, the set of events before it */
    size_t words;     /* of such a set */
    uint32_t *entry;  /* scratch: gifts */
    uint32_t *before; /* scratch: events */
    size_t befores;
};

static bool precedes(const struct poeg *poeg, uint32_t event, uint32_t other) {
    return set_has(poeg->past + other * poeg->words, event);
}

/* Unless it follows from those that are there; those that follow from it go. */
static void add_before(struct poeg *poeg, uint32_t event) {
    size_t kept = 0;
    for (size_t i = 0; i < poeg->befores; i++)
        if (poeg->before[i] == event || precedes(poeg, event, poeg->before[i]))
            return;
    for (size_t i = 0; i < poeg->befores; i++)
        if (!precedes(poeg, poeg->before[i], event))
            poeg->before[kept++] = poeg->before[i];
    poeg->before[kept++] = event;
    poeg->befores = kept;
}

/* The last event of the rank before its event number `next`. */
static void add_last(struct poeg *poeg, unsigned rank, uint32_t next) {
    if (next > 0)
        add_before(poeg, poeg->number[poeg->parts->part[rank].event[next - 1]]);
}

/* The takings that the rank knew of when it began its move number `next`. */
static void add_released(struct poeg *poeg, unsigned rank, uint32_t next) {
    const struct part *part = &poeg->parts->part[rank];
    for (size_t i = 0; part->synchronous && i < part->gives; i++)
        if (poeg->parts->gift[part->given[i]].released_in < next)
            add_before(poeg, poeg->number[part->given[i]]);
}

static int compare(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The gifts of an event: a message, or all entries of a meeting. */
static size_t gifts_of(struct poeg *poeg, uint32_t gift) {
    poeg->entry[0] = gift;
    return poeg->parts->gift[gift].to == PART_MEETING ? parts_entries(poeg->parts, &poeg->parts->gift[gift], poeg->entry) : 1;
}

static void find_before(struct poeg *poeg, uint32_t event, size_t gifts) {
    poeg->befores = 0;
    for (size_t i = 0; i < gifts; i++) {
        const struct gift *gift = &poeg->parts->gift[poeg->entry[i]];
        add_last(poeg, gift_taker(gift), gift->event);
        add_released(poeg, gift_taker(gift), gift->taken_in);
        add_last(poeg, gift->from, gift->prior);
        add_released(poeg, gift->from, gift->given_in + 1);
    }
    qsort(poeg->before, poeg->befores, sizeof *poeg->before, compare);
    uint64_t *past = poeg->past + event * poeg->words;
    for (size_t i = 0; i < poeg->befores; i++) {
        const uint64_t *earlier = poeg->past + poeg->before[i] * poeg->words;
        for (size_t k = 0; k < poeg->words; k++)
            past[k] |= earlier[k];
        set_add(past, poeg->before[i]);
    }
}

static void visit_all(struct poeg *poeg, void (*visit)(void *context, const struct poeg_event *event), void *context) {
    const struct parts *parts = poeg->parts;
    uint32_t events = 0;
    memset(poeg->number, 0xff, parts->gifts * sizeof *poeg->number);
    for (size_t i = 0; i < parts->ordered; i++) {
        uint32_t number = parts->order[i];
        const struct gift *gift = &parts->gift[number];
        if (poeg->number[number] != PART_NONE)
            continue;
        size_t gifts = gifts_of(poeg, number);
        find_before(poeg, events, gifts);
        for (size_t k = 0; k < gifts; k++)
            poeg->number[poeg->entry[k]] = events;
        visit(context, &(struct poeg_event){events++, gift->to, gift->from, gift->content, poeg->before, poeg->befores});
    }
}

bool poeg_visit(const struct parts_model *model, void (*visit)(void *context, const struct poeg_event *event), void *context,
                char *why, size_t room) {
    struct parts *parts = parts_run(model, why, room);
    if (!parts)
        return false;
    struct poeg poeg = {.parts = parts,
                        .number = growing_new((parts->gifts + 1) * sizeof *poeg.number),
                        .words = (parts->gifts + 63) / 64,
                        .entry = growing_new(model->ranks * sizeof *poeg.entry),
                        .before = growing_new((parts->gifts + 1) * sizeof *poeg.before)};
    poeg.past = growing_new((parts->gifts * poeg.words + 1) * sizeof *poeg.past);
    visit_all(&poeg, visit, context);
    free(poeg.number);
    free(poeg.past);
    free(poeg.entry);
    free(poeg.before);
    parts_free(parts);
    return true;
}
