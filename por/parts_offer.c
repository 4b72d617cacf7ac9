/* What a rank alone may do in a node of its graph, and what it waits for there. */
#include "models/growing.h"
#include "por/parts_graph.h"

#include <string.h>

static size_t way_words(const struct graph *graph) { return graph->part->words + graph->part->given_words; }

/* One way: of a set of all events the rank's own, and its gifts whose taking is among them. `event`: whose condition it is; a
 * message to itself must have been given. */
static void add_way(const struct graph *graph, uint32_t event, const uint64_t *past) {
    const struct parts *parts = graph->parts;
    const struct part *part = graph->part;
    struct condition *condition = &graph->condition[event];
    uint64_t *way = condition->way + condition->ways++ * way_words(graph);
    memcpy(way, past + part->base, part->words * sizeof *way);
    for (uint32_t i = 0; i < part->gives; i++) {
        const struct gift *gift = &parts->gift[part->given[i]];
        size_t place = parts->part[gift_taker(gift)].base * 64 + gift->event;
        if (gift->to != PART_MEETING && (set_has(past, (uint32_t)place) || part->given[i] == part->event[event]))
            set_add(way + part->words, i);
    }
}

void offer_begin(struct graph *graph) {
    const struct parts *parts = graph->parts;
    const struct part *part = graph->part;
    size_t longest = 0;
    for (size_t i = 0; i < part->ins; i++)
        longest = part->in[i].gifts > longest ? part->in[i].gifts : longest;
    graph->receive = growing_new((longest + 1) * sizeof *graph->receive);
    graph->condition = growing_new((part->events + 1) * sizeof *graph->condition);
    for (uint32_t event = 0; event < part->events; event++) {
        const struct gift *gift = &parts->gift[part->event[event]];
        bool meeting = gift->to == PART_MEETING;
        size_t ways = meeting ? 1 : gift->pasts;
        graph->condition[event].way = growing_new((ways * way_words(graph) + 1) * sizeof(uint64_t));
        for (size_t i = 0; i < ways; i++)
            add_way(graph, event, meeting ? parts->needs + part->event[event] * parts->words : gift->past + i * parts->words);
    }
}

void offer_end(struct graph *graph) {
    for (size_t i = 0; i < graph->part->events; i++)
        free(graph->condition[i].way);
    free(graph->condition);
    free(graph->receive);
    free(graph->offer);
}

/* Is done what this event of the rank's needs of itself? */
static bool is_admissible(const struct graph *graph, const struct gift *gift) {
    const struct part *part = graph->part;
    const struct condition *condition = &graph->condition[gift->event];
    for (size_t i = 0; i < condition->ways; i++) {
        const uint64_t *way = condition->way + i * way_words(graph);
        if (set_includes(node_events(graph, graph->here), way, part->words) &&
            set_includes(node_gifts(graph->here), way + part->words, part->given_words))
            return true;
    }
    return false;
}

/* Is there a message of the lane that surely comes before this one and goes to the same receive? Earlier ones do, and one that a
 * probe has told of: it came before all others like it. */
static bool is_overtaking(const struct graph *graph, const struct lane *lane, size_t at) {
    const struct gift *gift = &graph->parts->gift[lane->gift[at]];
    for (size_t i = 0; i < lane->gifts; i++) {
        const struct gift *other = &graph->parts->gift[lane->gift[i]];
        if (i == at || graph->receive[i] != graph->receive[at])
            continue;
        if (set_has(gift->earlier, other->number) ||
            (other->event == node_seen(graph->here) && other->likeness == gift->likeness))
            return true;
    }
    return false;
}

/* By what the messages of the lane would be taken that have not been. */
static void find_receives(struct graph *graph, const struct lane *lane, struct waiting *waiting) {
    const struct parts_model *model = graph->parts->model;
    for (size_t i = 0; i < lane->gifts; i++) {
        const struct gift *gift = &graph->parts->gift[lane->gift[i]];
        graph->receive[i] = PART_NONE;
        if (set_has(node_events(graph, graph->here), gift->event))
            continue;
        graph->receive[i] = model->takes(model->self, graph->rank, node_state(graph->here), gift->content);
        note_time(graph->receive[i] == PART_NONE ? &waiting->first_refused : &waiting->first_taken, gift->time);
    }
}

void offer_add_taken(const struct graph *graph, uint64_t *events) {
    const struct parts_model *model = graph->parts->model;
    for (uint32_t event = 0; event < graph->part->events; event++) {
        const struct gift *gift = &graph->parts->gift[graph->part->event[event]];
        if (gift->to != PART_MEETING && !set_has(node_events(graph, graph->here), event) &&
            model->takes(model->self, graph->rank, node_state(graph->here), gift->content) != PART_NONE)
            set_add(events, event);
    }
}

static void add(struct graph *graph, struct offered_move move) {
    graph->offer = growing_room(graph->offer, &graph->offer_room, graph->offers + 1, sizeof *graph->offer);
    graph->offer[graph->offers++] = move;
}

static void add_messages(struct graph *graph, const struct lane *lane, struct waiting *waiting) {
    find_receives(graph, lane, waiting);
    for (size_t i = 0; i < lane->gifts; i++) {
        const struct gift *gift = &graph->parts->gift[lane->gift[i]];
        uint32_t receive = graph->receive[i];
        if (receive == PART_NONE || !is_admissible(graph, gift) || is_overtaking(graph, lane, i))
            continue;
        waiting->surely |= gift->event == node_seen(graph->here);
        add(graph, (struct offered_move){.kind = PART_TAKE, .gift = lane->gift[i], .sees = receive == PART_SEES});
    }
}

/* The gift of an entry that the rank has made. */
static uint32_t entered(const struct graph *graph, const struct part_entry *entry) {
    const struct lane *lane = part_out(graph->part, entry->line);
    uint32_t which = entry->which;
    size_t i = 0;
    for (; i < lane->gifts; i++) {
        const struct gift *gift = &graph->parts->gift[lane->gift[i]];
        if (set_has(node_gifts(graph->here), gift->number) && !set_has(node_events(graph, graph->here), gift->event) &&
            which-- == 0)
            break;
    }
    return lane->gift[i];
}

/* Of those that it must leave all before it goes on, and nobody hears of that before, one is enough. */
static void add_leaving(struct graph *graph, const struct part_stand *stand, struct waiting *waiting) {
    bool any = false;
    for (size_t i = 0; i < stand->entries; i++) {
        uint32_t number = entered(graph, &stand->entry[i]);
        const struct gift *gift = &graph->parts->gift[number];
        note_time(&waiting->awaited, gift->time);
        if ((any && stand->leaves_all) || !is_admissible(graph, gift))
            continue;
        any = true;
        add(graph, (struct offered_move){.kind = PART_LEAVE, .which = stand->entry[i].which, .gift = number});
    }
}

/* Some of its own messages may be received. */
static void add_releases(struct graph *graph, const struct part_stand *stand, struct waiting *waiting) {
    waiting->awaited = 0;
    for (size_t i = 0; i < stand->owns; i++) {
        const struct lane *lane = part_out(graph->part, stand->own[i].line);
        for (size_t k = 0; lane && k < lane->gifts; k++) {
            const struct gift *gift = &graph->parts->gift[lane->gift[k]];
            if (gift_is_own(gift, &stand->own[i]) && set_has(node_gifts(graph->here), gift->number) &&
                gift->time > waiting->awaited)
                waiting->awaited = gift->time;
        }
    }
    for (uint32_t i = 0; i < stand->releases; i++)
        add(graph, (struct offered_move){.kind = PART_RELEASE, .which = i, .gift = PART_NONE});
}

void offer_moves(struct graph *graph, const struct part_stand *stand, struct waiting *waiting) {
    *waiting = (struct waiting){.first_taken = PART_NONE, .first_refused = PART_NONE, .awaited = PART_NONE};
    graph->offers = 0;
    if (stand->releases)
        add_releases(graph, stand, waiting);
    add_leaving(graph, stand, waiting);
    for (size_t i = 0; i < graph->part->ins; i++)
        add_messages(graph, &graph->part->in[i], waiting);
    for (uint32_t i = 0; i < stand->choices; i++)
        add(graph, (struct offered_move){.kind = PART_CHOOSE, .which = i, .gift = PART_NONE});
    if (stand->polls)
        add(graph, (struct offered_move){.kind = PART_MISS, .gift = PART_NONE});
}

uint32_t offer_next_given(const struct graph *graph) {
    const struct part *part = graph->part;
    for (uint32_t i = 0; i < part->gives; i++)
        if (!set_has(node_gifts(graph->here), i))
            return graph->parts->gift[part->given[i]].time;
    return PART_NONE;
}
