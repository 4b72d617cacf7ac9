#include "por/poeg.h"

#include "models/growing.h"
#include "por/parts_inside.h"

#include <string.h>

struct poeg {
    const struct parts *parts;
    uint32_t *number;   /* of the event of each gift; all entries of a meeting have one */
    uint32_t *subgroup; /* of each gift, in the rank of its event */
    uint64_t *past;     /* for each event, the set of events before it */
    size_t words;       /* of such a set */
    uint32_t *entry;    /* scratch: gifts */
    uint32_t *before;   /* scratch: events */
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

static void find_all(struct poeg *poeg) {
    const struct parts *parts = poeg->parts;
    uint32_t events = 0;
    memset(poeg->number, 0xff, parts->gifts * sizeof *poeg->number);
    for (size_t i = 0; i < parts->ordered; i++) {
        if (poeg->number[parts->order[i]] != PART_NONE)
            continue;
        size_t gifts = gifts_of(poeg, parts->order[i]);
        find_before(poeg, events, gifts);
        for (size_t k = 0; k < gifts; k++)
            poeg->number[poeg->entry[k]] = events;
        events++;
    }
}

/* ---- subgroups ---- */

/* How many of the rank's events must precede the giving of a message, by way of others: the first ones, as it had them one after
 * the other. */
static uint32_t depends_on(struct poeg *poeg, const struct part *part, const struct gift *message) {
    if (message->from == message->to)
        return message->prior;
    poeg->befores = 0;
    add_last(poeg, message->from, message->prior);
    add_released(poeg, message->from, message->given_in + 1);
    uint32_t first = message->event;
    for (; first > 0; first--) {
        uint32_t event = poeg->number[part->event[first - 1]];
        for (size_t i = 0; i < poeg->befores; i++)
            if (poeg->before[i] == event || precedes(poeg, event, poeg->before[i]))
                return first;
    }
    return first;
}

/* Would it come first, if the rank had had only the events before `place`? */
static bool may_come(const struct poeg *poeg, const struct part *part, const struct gift *message, uint32_t place) {
    const struct parts_model *model = poeg->parts->model;
    uint32_t state = poeg->parts->gift[part->event[place]].taken_from;
    uint32_t receive = model->takes(model->self, message->to, state, message->content);
    if (receive == PART_NONE)
        return false;
    for (uint32_t i = place; i < message->event; i++) {
        const struct gift *other = &poeg->parts->gift[part->event[i]];
        if (other->to == message->to && other->line == message->line && other->index < message->index &&
            model->takes(model->self, message->to, state, other->content) == receive)
            return false;
    }
    return true;
}

static uint32_t earliest_place(struct poeg *poeg, const struct part *part, uint32_t event) {
    const struct gift *gift = &poeg->parts->gift[part->event[event]];
    if (gift->to == PART_MEETING)
        return event;
    uint32_t place = depends_on(poeg, part, gift);
    while (place < event && !may_come(poeg, part, gift, place))
        place++;
    return place;
}

/* Numbers the subgroups of a rank, by event. */
static void find_subgroups(struct poeg *poeg, const struct part *part) {
    uint32_t earliest = PART_NONE, group = 0;
    for (uint32_t event = (uint32_t)part->events; event-- > 0;) {
        uint32_t place = earliest_place(poeg, part, event);
        earliest = place < earliest ? place : earliest;
        poeg->subgroup[part->event[event]] = earliest == event; /* a cut before it */
    }
    for (uint32_t event = 0; event < part->events; event++) {
        group += event > 0 && poeg->subgroup[part->event[event]];
        poeg->subgroup[part->event[event]] = group;
    }
}

static void visit_all(struct poeg *poeg, void (*visit)(void *context, const struct poeg_event *event), void *context) {
    const struct parts *parts = poeg->parts;
    uint32_t events = 0;
    for (size_t i = 0; i < parts->ordered; i++) {
        uint32_t number = parts->order[i];
        const struct gift *gift = &parts->gift[number];
        if (poeg->number[number] != events)
            continue;
        find_before(poeg, events, gifts_of(poeg, number));
        visit(context, &(struct poeg_event){events++, gift->to, gift->from, gift->content, poeg->subgroup[number], poeg->before,
                                            poeg->befores});
    }
}

bool poeg_visit(const struct parts_model *model, void (*visit)(void *context, const struct poeg_event *event), void *context,
                char *why, size_t room) {
    struct parts *parts = parts_run(model, why, room);
    if (!parts)
        return false;
    struct poeg poeg = {.parts = parts,
                        .number = growing_new((parts->gifts + 1) * sizeof *poeg.number),
                        .subgroup = growing_new((parts->gifts + 1) * sizeof *poeg.subgroup),
                        .words = (parts->gifts + 63) / 64,
                        .entry = growing_new(model->ranks * sizeof *poeg.entry),
                        .before = growing_new((parts->gifts + 1) * sizeof *poeg.before)};
    poeg.past = growing_new((parts->gifts * poeg.words + 1) * sizeof *poeg.past);
    find_all(&poeg);
    for (unsigned rank = 0; rank < model->ranks; rank++)
        find_subgroups(&poeg, &parts->part[rank]);
    visit_all(&poeg, visit, context);
    free(poeg.number);
    free(poeg.subgroup);
    free(poeg.past);
    free(poeg.entry);
    free(poeg.before);
    parts_free(parts);
    return true;
}
