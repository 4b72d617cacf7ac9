/* Explores the graph of one rank alone. */
#include "models/growing.h"
#include "por/parts_graph.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The moves of so many nodes are announced before they are made, so that they can be prepared side by side. */
enum { NODES_AHEAD = 16 };

/* ---- nodes ---- */

static uint32_t *find_slot(const struct graph *graph, const uint64_t *node) {
    size_t at = XXH3_64bits(node, graph->size * sizeof *node) & (graph->slots - 1);
    while (graph->slot[at] != PART_NONE &&
           memcmp(graph->node + graph->slot[at] * graph->size, node, graph->size * sizeof *node) != 0)
        at = (at + 1) & (graph->slots - 1);
    return &graph->slot[at];
}

static void grow_slots(struct graph *graph) {
    graph->slots = graph->slots ? graph->slots * 2 : 1024;
    graph->slot = growing_checked(realloc(graph->slot, graph->slots * sizeof *graph->slot));
    memset(graph->slot, 0xff, graph->slots * sizeof *graph->slot);
    for (size_t i = 0; i < graph->nodes; i++)
        *find_slot(graph, graph->node + i * graph->size) = (uint32_t)i;
}

/* The number of the node `there`, which is new if it is the last one. */
static uint32_t enter(struct graph *graph) {
    if (2 * (graph->nodes + 1) > graph->slots)
        grow_slots(graph);
    uint32_t *slot = find_slot(graph, graph->there);
    if (*slot != PART_NONE)
        return *slot;
    graph->node = growing_room(graph->node, &graph->room, (graph->nodes + 1) * graph->size, sizeof *graph->node);
    memcpy(graph->node + graph->nodes * graph->size, graph->there, graph->size * sizeof *graph->there);
    return *slot = (uint32_t)graph->nodes++;
}

/* ---- moves ---- */

uint32_t node_twins(const struct graph *graph, uint64_t *node, uint32_t number, bool earlier) {
    const struct gift *gift = graph->parts->gift, *own = &gift[graph->part->given[number]];
    const struct lane *lane = part_out(graph->part, own->line);
    uint32_t twins = 0;
    for (size_t i = 0; i < lane->gifts && (!earlier || i <= own->index); i++)
        twins += gift[lane->gift[i]].content == own->content && set_has(node_gifts(node), gift[lane->gift[i]].number);
    return twins;
}

/* Does the rank know, when it gives what it has given by the last move, that this gift was taken? Those of one content are taken in
 * their order. */
static bool is_released(const struct graph *graph, uint32_t number) {
    const struct parts_model *model = graph->parts->model;
    const struct gift *own = &graph->parts->gift[graph->part->given[number]];
    if (!own->synchronous || !set_has(node_gifts(graph->here), number))
        return false;
    uint32_t unreleased = model->unreleased(model->self, graph->rank, node_state(graph->there), own->content);
    return node_twins(graph, graph->there, number, true) + unreleased <= node_twins(graph, graph->there, number, false);
}

/* What the rank's events in the node need, and that messages were taken of which it has been told before it goes on there. */
static void find_past(struct graph *graph) {
    const struct part *part = graph->part;
    const uint64_t *events = node_events(graph, graph->there);
    memset(graph->past, 0, graph->parts->words * sizeof *graph->past);
    for (size_t event = part->events; event-- > 0;)
        if (set_has(events, (uint32_t)event))
            parts_add_event(graph->parts, graph->past, graph->rank, event);
    for (uint32_t i = 0; part->synchronous && i < part->gives; i++) {
        const struct gift *own = &graph->parts->gift[part->given[i]];
        if (is_released(graph, i))
            parts_add_event(graph->parts, graph->past, own->to, own->event);
    }
}

/* Before it is only what is so in every order. */
static void keep_earlier(struct graph *graph, struct gift *gift) {
    for (size_t i = 0; i < graph->part->given_words; i++) {
        uint64_t both = gift->earlier[i] & node_gifts(graph->there)[i];
        graph->weaker |= both != gift->earlier[i];
        gift->earlier[i] = both;
    }
}

/* The first gift of the lane not yet given, of a message the first with this content. */
static struct gift *next_gift(const struct graph *graph, const struct lane *lane, const struct part_gift *given) {
    for (size_t i = 0; lane && i < lane->gifts; i++) {
        struct gift *gift = &graph->parts->gift[lane->gift[i]];
        if (set_has(node_gifts(graph->there), gift->number))
            continue;
        if (gift->content == given->content && gift->to == given->to)
            return gift;
        if (lane->meeting)
            break;
    }
    return NULL;
}

/* The gift must be one that the run had. */
static bool note_gift(struct graph *graph, const struct part_gift *given) {
    struct gift *gift = next_gift(graph, part_out(graph->part, given->line), given);
    if (!gift)
        return parts_give_up(graph->parts, "what rank %u sends depends on the order of messages", graph->rank);
    keep_earlier(graph, gift);
    gift->loose |= given->loose;
    set_add(node_gifts(graph->there), gift->number);
    return true;
}

/* All that the rank gives by a move has the past that it has then. */
static bool note_gifts(struct graph *graph, const struct part_gift *given, size_t gifts) {
    for (size_t i = 0; i < gifts; i++)
        if (!note_gift(graph, &given[i]))
            return false;
    if (gifts)
        find_past(graph);
    for (uint32_t i = 0; gifts && i < graph->part->gives; i++) {
        struct gift *gift = &graph->parts->gift[graph->part->given[i]];
        if (!set_has(node_gifts(graph->there), i) || set_has(node_gifts(graph->here), i))
            continue;
        graph->weaker |= parts_add_past(graph->parts, gift, graph->past);
        if (graph->parts->looks_for_order)
            order_note(graph, &gift->given_after, graph->there);
    }
    return true;
}

/* What is given and taken stays so: only such moves can make a round. */
static void note_silent(struct graph *graph, uint32_t from, uint32_t to, bool miss) {
    if (memcmp(graph->here + 1, graph->there + 1, (graph->size - 1) * sizeof *graph->here) != 0)
        return;
    graph->silent = growing_room(graph->silent, &graph->silent_room, graph->silents + 1, sizeof *graph->silent);
    graph->silent[graph->silents++] = (struct silent_move){from, to, miss};
}

/* The model's move, its contents in graph->content. */
static struct part_move move_of(struct graph *graph, const struct offered_move *offered) {
    const struct parts *parts = graph->parts;
    struct part_move move = {.kind = offered->kind, .which = offered->which, .content = graph->content};
    if (offered->gift == PART_NONE)
        return move;
    size_t gifts = 1;
    graph->entry[0] = offered->gift;
    if (offered->kind == PART_LEAVE)
        gifts = parts_entries(parts, &parts->gift[offered->gift], graph->entry);
    parts_contents(parts, graph->entry, gifts, graph->content);
    move.contents = gifts;
    return move;
}

/* Where the rank is after the move, as far as its gifts do not matter. */
static void note_reached(struct graph *graph, const struct offered_move *offered, uint32_t state) {
    bool moves_on = offered->gift != PART_NONE;
    graph->parts->loses_sight |= offered->sees && node_seen(graph->here) != PART_NONE &&
                                 node_seen(graph->here) != graph->parts->gift[offered->gift].event;
    uint32_t event = moves_on ? graph->parts->gift[offered->gift].event : PART_NONE, seen = node_seen(graph->here);
    if (moves_on && !offered->sees) {
        if (graph->parts->looks_for_order)
            order_note(graph, &graph->parts->gift[offered->gift].taken_after, graph->here);
        set_add(node_events(graph, graph->there), event);
        graph->part->deliveries++;
    }
    node_set_head(graph->there, state, offered->sees ? event : event == seen ? PART_NONE : seen);
}

/* Makes a move from node number `from`, which graph->here is a copy of. */
static bool follow(struct graph *graph, uint32_t from, const struct offered_move *offered) {
    struct parts *parts = graph->parts;
    const struct parts_model *model = parts->model;
    const struct part_move move = move_of(graph, offered);
    const struct part_gift *gift;
    size_t gifts;
    uint32_t state;
    memcpy(graph->there, graph->here, graph->size * sizeof *graph->here);
    if (!model->move(model->self, graph->rank, node_state(graph->here), &move, &state, &gift, &gifts))
        return false;
    note_reached(graph, offered, state);
    if (!note_gifts(graph, gift, gifts))
        return false;
    graph->part->transitions++;
    uint32_t to = enter(graph);
    if (from != PART_NONE)
        note_silent(graph, from, to, offered->kind == PART_MISS);
    if (parts->statistics.states + graph->nodes > parts->most_states)
        return parts_give_up(parts, "the ranks alone have too many states");
    return true;
}

bool graph_is_good(const struct graph *graph, const struct waiting *waiting) {
    uint32_t time = waiting->first_taken < waiting->awaited ? waiting->first_taken : waiting->awaited;
    if (time == PART_NONE)
        return parts_give_up(graph->parts, "rank %u may wait for a message that does not come", graph->rank);
    if (waiting->first_refused < time)
        return parts_give_up(graph->parts, "rank %u may wait for messages in another order than they come", graph->rank);
    return offer_next_given(graph) > time ||
           parts_give_up(graph->parts, "rank %u may wait for a message before it sends what others wait for", graph->rank);
}

static bool check_end(const struct graph *graph, const struct part_stand *stand) {
    const struct part *part = graph->part;
    for (uint32_t event = 0; event < part->events; event++)
        if (!set_has(node_events(graph, graph->here), event))
            return parts_give_up(graph->parts, "rank %u may end before it has taken all messages", graph->rank);
    if (offer_next_given(graph) != PART_NONE)
        return parts_give_up(graph->parts, "rank %u may end before it has sent all messages", graph->rank);
    return stand->outcome == part->outcome ||
           parts_give_up(graph->parts, "how rank %u ends depends on the order of messages", graph->rank);
}

void graph_open(struct graph *graph, uint32_t number) {
    memcpy(graph->here, graph->node + number * graph->size, graph->size * sizeof *graph->here);
}

/* Says what moves will be made in the node. */
static void announce(struct graph *graph, uint32_t number) {
    const struct parts_model *model = graph->parts->model;
    struct waiting waiting;
    struct part_stand stand;
    graph_open(graph, number);
    if (!model->stand(model->self, graph->rank, node_state(graph->here), &stand) || stand.ended)
        return;
    offer_moves(graph, &stand, &waiting);
    for (size_t i = 0; i < graph->offers; i++) {
        const struct part_move move = move_of(graph, &graph->offer[i]);
        model->expect(model->self, graph->rank, node_state(graph->here), &move);
    }
}

static bool expand(struct graph *graph, uint32_t from) {
    const struct parts_model *model = graph->parts->model;
    struct waiting waiting;
    struct part_stand stand;
    graph_open(graph, from);
    if (!model->stand(model->self, graph->rank, node_state(graph->here), &stand))
        return false;
    if (stand.ended)
        return check_end(graph, &stand);
    graph->parts->polls |= stand.polls;
    offer_moves(graph, &stand, &waiting);
    for (size_t i = 0; i < graph->offers; i++)
        if (!follow(graph, from, &graph->offer[i]))
            return false;
    return stand.choices || stand.polls || waiting.surely || graph_is_good(graph, &waiting);
}

/* ---- all of it ---- */

static struct graph graph_new(struct parts *parts, unsigned rank) {
    struct part *part = &parts->part[rank];
    struct graph graph = {.parts = parts, .rank = rank, .part = part, .size = 1 + part->given_words + part->words};
    graph.here = growing_new(graph.size * sizeof *graph.here);
    graph.there = growing_new(graph.size * sizeof *graph.there);
    graph.past = growing_new((parts->words + 1) * sizeof *graph.past);
    graph.entry = growing_new(parts->model->ranks * sizeof *graph.entry);
    graph.content = growing_new(parts->model->ranks * sizeof *graph.content);
    return graph;
}

static uint64_t graph_bytes(const struct graph *graph) {
    return graph->room * sizeof *graph->node + graph->slots * sizeof *graph->slot + graph->silent_room * sizeof *graph->silent;
}

static void graph_free(struct graph *graph) {
    free(graph->node);
    free(graph->slot);
    free(graph->here);
    free(graph->there);
    offer_end(graph);
    free(graph->past);
    free(graph->entry);
    free(graph->content);
    free(graph->silent);
}

static bool explore(struct graph *graph) {
    const struct parts_model *model = graph->parts->model;
    if (!follow(graph, PART_NONE, &(struct offered_move){.kind = PART_BEGIN, .gift = PART_NONE}))
        return false;
    uint32_t announced = 0;
    for (uint32_t i = 0; i < graph->nodes; i++) {
        if (i % 64 == 0 && model->stop(model->self, parts_bytes(graph->parts) + graph_bytes(graph)))
            return false;
        while (model->expect && announced < graph->nodes && announced <= i + NODES_AHEAD)
            announce(graph, announced++);
        if (!expand(graph, i))
            return false;
    }
    return rounds_check(graph);
}

bool parts_explore(struct parts *parts, unsigned rank, bool *weaker) {
    struct graph graph = graph_new(parts, rank);
    graph.part->transitions = graph.part->deliveries = 0;
    node_set_head(graph.here, 0, PART_NONE);
    offer_begin(&graph);
    bool explored = explore(&graph);
    graph.part->states = graph.nodes;
    parts->statistics.states += graph.nodes;
    *weaker |= graph.weaker;
    graph_free(&graph);
    return explored;
}
