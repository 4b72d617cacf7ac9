/* Does what is loose order anything? The argument is in parts.h. What may precede an event, in any order: what its rank knows of
 * when it takes the message, and what the giver knew of. A rank knows of an event once it has been told, and of the taking of a
 * gift once it is released; that a receive that names its source has taken a message in the background orders nothing, whichever
 * comes first. */
#include "models/growing.h"
#include "por/parts_graph.h"

#include <string.h>

enum { GIFTS_MOST = 1 << 12 }; /* sets of all for each: 4 MB */

/* ---- while the ranks are explored ---- */

static bool has_twin(const struct graph *graph, uint64_t *node, uint32_t event) {
    const struct part *part = graph->part;
    const struct gift *gift = graph->parts->gift;
    for (uint32_t i = 0; i < part->events; i++)
        if (i != event && set_has(node_events(graph, node), i) &&
            gift[part->event[i]].content == gift[part->event[event]].content)
            return true;
    return false;
}

static bool may_know_of_event(const struct graph *graph, uint64_t *node, uint32_t event) {
    const struct parts_model *model = graph->parts->model;
    const struct gift *gift = &graph->parts->gift[graph->part->event[event]];
    return gift->to == PART_MEETING || !model->unnoticed(model->self, graph->rank, node_state(node), gift->content) ||
           has_twin(graph, node, event);
}

/* It may be any of those with its content. */
static bool may_be_released(const struct graph *graph, uint64_t *node, uint32_t number) {
    const struct parts_model *model = graph->parts->model;
    const struct gift *gift = &graph->parts->gift[graph->part->given[number]];
    return gift->to != PART_MEETING && (gift->synchronous || gift->loose) &&
           model->unreleased(model->self, graph->rank, node_state(node), gift->content) <
               node_twins(graph, node, number, false);
}

void order_note(const struct graph *graph, uint64_t **after, uint64_t *node) {
    const struct part *part = graph->part;
    if (!*after)
        *after = growing_new((part->words + part->given_words + 1) * sizeof **after);
    for (uint32_t event = 0; event < part->events; event++)
        if (set_has(node_events(graph, node), event) && !set_has(*after, event) && may_know_of_event(graph, node, event))
            set_add(*after, event);
    if (node_seen(node) != PART_NONE)
        set_add(*after, node_seen(node));
    for (uint32_t i = 0; i < part->gives; i++)
        if (set_has(node_gifts(graph->here), i) && !set_has(*after + part->words, i) && may_be_released(graph, node, i))
            set_add(*after + part->words, i);
}

/* ---- afterwards ---- */

/* Sets of all events, as in struct parts, and behind them of loose gifts after whose release something is. */
struct order {
    const struct parts *parts;
    size_t words;      /* of a set */
    uint64_t *before;  /* for each gift, of what may precede its event */
    uint64_t *entered; /* scratch: a set */
    uint32_t *entry;   /* scratch */
};

static uint64_t *before(const struct order *order, uint32_t gift) { return order->before + gift * order->words; }

static uint32_t place_of(const struct parts *parts, const struct gift *gift) {
    return (uint32_t)(parts->part[gift_taker(gift)].base * 64) + gift->event;
}

static void add_after(const struct order *order, uint64_t *set, unsigned rank, const uint64_t *after) {
    const struct parts *parts = order->parts;
    const struct part *part = &parts->part[rank];
    for (size_t i = 0; after && i < part->words; i++)
        set[part->base + i] |= after[i];
    for (uint32_t i = 0; after && i < part->gives; i++) {
        const struct gift *gift = &parts->gift[part->given[i]];
        if (!set_has(after + part->words, i))
            continue;
        if (gift->loose)
            set_add(set + parts->words, part->given[i]);
        if (gift->synchronous)
            set_add(set, place_of(parts, gift));
    }
}

/* A meeting is left after all have entered, unless it is loose. */
static void add_direct(struct order *order, uint32_t number) {
    const struct gift *gift = &order->parts->gift[number];
    uint64_t *set = before(order, number);
    add_after(order, set, gift_taker(gift), gift->taken_after);
    if (gift->to != PART_MEETING) {
        add_after(order, set, gift->from, gift->given_after);
        return;
    }
    size_t entries = gift->loose ? 0 : parts_entries(order->parts, gift, order->entry);
    for (size_t i = 0; i < entries; i++) {
        const struct gift *entry = &order->parts->gift[order->entry[i]];
        add_after(order, set, entry->from, entry->given_after);
    }
}

/* Adds what precedes the events in the set. True: that was not all there yet. */
static bool add_indirect(const struct order *order, uint64_t *set) {
    const struct parts *parts = order->parts;
    bool more = false;
    for (uint32_t number = 0; number < parts->gifts; number++) {
        if (!set_has(set, place_of(parts, &parts->gift[number])))
            continue;
        const uint64_t *earlier = before(order, number);
        more |= !set_includes(set, earlier, order->words);
        set_add_all(set, earlier, order->words);
    }
    return more;
}

static void find_all(struct order *order) {
    for (uint32_t i = 0; i < order->parts->gifts; i++)
        add_direct(order, i);
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < order->parts->ordered; i++)
            more |= add_indirect(order, before(order, order->parts->order[i]));
    }
}

/* May one enter the meeting after another one has left it? */
static bool orders_entries(struct order *order, const struct gift *own) {
    const struct parts *parts = order->parts;
    memset(order->entered, 0, order->words * sizeof *order->entered);
    add_after(order, order->entered, own->from, own->given_after);
    add_indirect(order, order->entered);
    size_t entries = parts_entries(parts, own, order->entry);
    for (size_t i = 0; i < entries; i++)
        if (set_has(order->entered, place_of(parts, &parts->gift[order->entry[i]])))
            return true;
    return false;
}

/* A message to oneself is not looked at: that it is taken may follow from its giver's going on without any message. */
static bool orders(struct order *order, uint32_t number) {
    const struct gift *gift = &order->parts->gift[number];
    if (!gift->loose)
        return false;
    if (gift->to == PART_MEETING)
        return orders_entries(order, gift);
    return gift->to == gift->from || set_has(before(order, number) + order->parts->words, number);
}

bool parts_order(const struct parts *parts) {
    if (parts->gifts > GIFTS_MOST || parts->loses_sight)
        return true;
    size_t words = parts->words + (parts->gifts + 63) / 64;
    struct order order = {.parts = parts,
                          .words = words,
                          .before = growing_new((parts->gifts * words + 1) * sizeof *order.before),
                          .entered = growing_new((words + 1) * sizeof *order.entered),
                          .entry = growing_new(parts->model->ranks * sizeof *order.entry)};
    find_all(&order);
    bool any = false;
    for (uint32_t i = 0; !any && i < parts->gifts; i++)
        any = orders(&order, i);
    free(order.before);
    free(order.entered);
    free(order.entry);
    return any;
}
