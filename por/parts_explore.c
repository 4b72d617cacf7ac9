/* The graph of one rank alone. A node is the rank's state, the message that it was told of last by a probe, which of its gifts it has
 * given, and which of its events it has had. */
#include "models/growing.h"
#include "por/parts_inside.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* What must precede an event of the rank on its own part, in one of several ways: a set of its events, then one of its gifts, which others
 * must have taken. As they were when the exploration began. */
struct condition {
    uint64_t *way;
    size_t ways;
};

struct graph {
    struct parts *parts;
    unsigned rank;
    struct part *part;
    uint32_t *node; /* `size` words each: state, event of the message seen or PART_NONE, sets */
    size_t nodes, room, size;
    uint32_t *slot; /* open addressing: node numbers, or PART_NONE */
    size_t slots;
    uint32_t *here, *there;      /* nodes being worked on */
    struct condition *condition; /* for each of the rank's events */
    uint64_t *past;              /* scratch: a set of all events */
    uint32_t *entry, *content;   /* scratch */
    bool weaker;
};

enum { STATE, SEEN, SETS };

/* Sets in nodes are in halves of words, as nodes are: first that of its gifts, then that of its events. */
static bool half_has(const uint32_t *set, uint32_t member) { return set[member / 32] >> (member % 32) & 1; }
static void half_add(uint32_t *set, uint32_t member) { set[member / 32] |= 1u << (member % 32); }
static uint64_t half_word(const uint32_t *set, size_t word) { return set[2 * word] | (uint64_t)set[2 * word + 1] << 32; }

static uint32_t *gifts_of(uint32_t *node) { return node + SETS; }
static uint32_t *events_of(const struct graph *graph, uint32_t *node) { return node + SETS + 2 * graph->part->given_words; }

/* ---- nodes ---- */

static uint32_t *find_slot(const struct graph *graph, const uint32_t *node) {
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

/* What the rank's events in the node need. */
static void find_past(struct graph *graph) {
    uint32_t *events = events_of(graph, graph->there);
    memset(graph->past, 0, graph->parts->words * sizeof *graph->past);
    for (size_t event = graph->part->events; event-- > 0;)
        if (half_has(events, (uint32_t)event))
            parts_add_event(graph->parts, graph->past, graph->rank, event);
}

/* The gift has this past too; and before it is only what is so in every order. */
static void weaken(struct graph *graph, struct gift *gift) {
    graph->weaker |= parts_add_past(graph->parts, gift, graph->past);
    for (size_t i = 0; i < graph->part->given_words; i++) {
        uint64_t both = gift->earlier[i] & half_word(gifts_of(graph->there), i);
        graph->weaker |= both != gift->earlier[i];
        gift->earlier[i] = both;
    }
}

/* The first gift of the lane not yet given, of a message the first with this content. */
static struct gift *next_gift(const struct graph *graph, const struct lane *lane, const struct part_gift *given) {
    for (size_t i = 0; lane && i < lane->gifts; i++) {
        struct gift *gift = &graph->parts->gift[lane->gift[i]];
        if (half_has(gifts_of(graph->there), gift->number))
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
    weaken(graph, gift);
    half_add(gifts_of(graph->there), gift->number);
    return true;
}

/* Nodes are numbered as they are met, so each cycle has an edge to an earlier node or itself; and all its nodes had the same. */
static bool may_close_cycle(const struct graph *graph, uint32_t from, uint32_t to) {
    return to <= from && memcmp(graph->here + SETS, graph->there + SETS, (graph->size - SETS) * sizeof *graph->here) == 0;
}

/* Makes a move from node number `from`, which graph->here is a copy of. `event`: the one that it is, or PART_NONE; `seen`: of the
 * message that it shows the rank, likewise. */
static bool follow_to(struct graph *graph, uint32_t from, const struct part_move *move, uint32_t event, uint32_t seen) {
    struct parts *parts = graph->parts;
    const struct parts_model *model = parts->model;
    const struct part_gift *gift;
    size_t gifts;
    memcpy(graph->there, graph->here, graph->size * sizeof *graph->here);
    if (!model->move(model->self, graph->rank, graph->here[STATE], move, &graph->there[STATE], &gift, &gifts))
        return false;
    if (event != PART_NONE)
        half_add(events_of(graph, graph->there), event);
    if (seen != PART_NONE)
        graph->there[SEEN] = seen;
    else if (event == graph->here[SEEN])
        graph->there[SEEN] = PART_NONE;
    if (gifts)
        find_past(graph);
    for (size_t i = 0; i < gifts; i++)
        if (!note_gift(graph, &gift[i]))
            return false;
    graph->part->transitions++;
    graph->part->deliveries += event != PART_NONE;
    uint32_t to = enter(graph);
    if (from != PART_NONE && may_close_cycle(graph, from, to))
        return parts_give_up(parts, "rank %u may go round in a circle", graph->rank);
    if (parts->statistics.states + graph->nodes > parts->most_states)
        return parts_give_up(parts, "the ranks alone have too many states");
    return true;
}

static bool follow(struct graph *graph, uint32_t from, const struct part_move *move, uint32_t event) {
    return follow_to(graph, from, move, event, PART_NONE);
}

/* ---- what may come ---- */

static size_t way_words(const struct graph *graph) { return graph->part->words + graph->part->given_words; }

/* One way: of a set of all events the rank's own, and its gifts whose taking is among them. `event`: whose condition it is; a message to
 * itself must have been given. */
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

static void find_conditions(struct graph *graph) {
    const struct parts *parts = graph->parts;
    const struct part *part = graph->part;
    for (uint32_t event = 0; event < part->events; event++) {
        const struct gift *gift = &parts->gift[part->event[event]];
        bool meeting = gift->to == PART_MEETING;
        size_t ways = meeting ? 1 : gift->pasts;
        graph->condition[event].way = growing_new((ways * way_words(graph) + 1) * sizeof(uint64_t));
        for (size_t i = 0; i < ways; i++)
            add_way(graph, event, meeting ? parts->needs + part->event[event] * parts->words : gift->past + i * parts->words);
    }
}

static bool holds(const uint32_t *all, const uint64_t *set, size_t words) {
    for (size_t i = 0; i < words; i++)
        if (set[i] & ~half_word(all, i))
            return false;
    return true;
}

/* Is done what this event of the rank's needs of itself? */
static bool is_admissible(const struct graph *graph, const struct gift *gift) {
    const struct part *part = graph->part;
    const struct condition *condition = &graph->condition[gift->event];
    for (size_t i = 0; i < condition->ways; i++) {
        const uint64_t *way = condition->way + i * way_words(graph);
        if (holds(events_of(graph, graph->here), way, part->words) &&
            holds(gifts_of(graph->here), way + part->words, part->given_words))
            return true;
    }
    return false;
}

/* What a node that waits is waiting for. */
struct waiting {
    bool surely;            /* it would take, or see again, the message that a probe has told it of: which is there */
    uint32_t first_taken;   /* earliest time of a message not yet taken that it would take; PART_NONE: there is none */
    uint32_t first_refused; /* of one that it would not */
    uint32_t
        awaited; /* time of what else it waits for: at least one thing that it waits for is not later. PART_NONE: nothing */
};

static void note_time(uint32_t *earliest, uint32_t time) {
    if (time < *earliest)
        *earliest = time;
}

static bool is_taken(const struct graph *graph, const struct gift *gift) {
    return half_has(events_of(graph, graph->here), gift->event);
}

static uint32_t taking(const struct graph *graph, const struct gift *gift) {
    const struct parts_model *model = graph->parts->model;
    return model->takes(model->self, graph->rank, graph->here[STATE], gift->content);
}

/* Is there a message of the lane that surely comes before this one and goes to the same receive? Earlier ones do, and one that a probe has
 * told of: it came before all others like it. */
static bool is_overtaking(const struct graph *graph, const struct lane *lane, const struct gift *gift, uint32_t receive) {
    const struct parts_model *model = graph->parts->model;
    for (size_t i = 0; i < lane->gifts; i++) {
        const struct gift *other = &graph->parts->gift[lane->gift[i]];
        if (other == gift || is_taken(graph, other))
            continue;
        bool told = other->event == graph->here[SEEN] && model->alike(model->self, other->content, gift->content);
        if ((told || set_has(gift->earlier, other->number)) && taking(graph, other) == receive)
            return true;
    }
    return false;
}

static bool take_from_lane(struct graph *graph, uint32_t from, const struct lane *lane, struct waiting *waiting) {
    for (size_t i = 0; i < lane->gifts; i++) {
        const struct gift *gift = &graph->parts->gift[lane->gift[i]];
        if (is_taken(graph, gift))
            continue;
        uint32_t receive = taking(graph, gift);
        note_time(receive == PART_NONE ? &waiting->first_refused : &waiting->first_taken, gift->time);
        if (receive == PART_NONE || !is_admissible(graph, gift) || is_overtaking(graph, lane, gift, receive))
            continue;
        const struct part_move move = {PART_TAKE, 0, &gift->content, 1};
        bool sees = receive == PART_SEES;
        waiting->surely |= gift->event == graph->here[SEEN];
        if (!follow_to(graph, from, &move, sees ? PART_NONE : gift->event, sees ? gift->event : PART_NONE))
            return false;
    }
    return true;
}

/* The gift of its last entry into the line. */
static uint32_t last_entry(const struct graph *graph, const struct lane *lane) {
    size_t entries = 0;
    while (entries < lane->gifts && half_has(gifts_of(graph->here), graph->parts->gift[lane->gift[entries]].number))
        entries++;
    return lane->gift[entries - 1];
}

static bool leave(struct graph *graph, uint32_t from, uint32_t line, struct waiting *waiting) {
    const struct parts *parts = graph->parts;
    uint32_t number = last_entry(graph, part_out(graph->part, line));
    const struct gift *gift = &parts->gift[number];
    waiting->awaited = gift->time;
    if (!is_admissible(graph, gift))
        return true;
    size_t entries = parts_entries(parts, gift, graph->entry);
    parts_contents(parts, graph->entry, entries, graph->content);
    return follow(graph, from, &(struct part_move){PART_LEAVE, 0, graph->content, entries}, gift->event);
}

/* Some of the messages that it gave into these lines. */
static bool release(struct graph *graph, uint32_t from, const struct part_stand *stand, struct waiting *waiting) {
    waiting->awaited = 0;
    for (size_t i = 0; i < stand->lines; i++) {
        const struct lane *lane = part_out(graph->part, stand->line[i]);
        for (size_t k = 0; lane && k < lane->gifts; k++) {
            const struct gift *gift = &graph->parts->gift[lane->gift[k]];
            if (half_has(gifts_of(graph->here), gift->number) && gift->time > waiting->awaited)
                waiting->awaited = gift->time;
        }
    }
    for (uint32_t i = 0; i < stand->releases; i++)
        if (!follow(graph, from, &(struct part_move){.kind = PART_RELEASE, .which = i}, PART_NONE))
            return false;
    return true;
}

/* The time of the earliest gift that is not given yet. */
static uint32_t next_given(const struct graph *graph) {
    const struct part *part = graph->part;
    for (uint32_t i = 0; i < part->gives; i++)
        if (!half_has(gifts_of(graph->here), i))
            return graph->parts->gift[part->given[i]].time;
    return PART_NONE;
}

/* parts.h: a good state. */
static bool is_good(const struct graph *graph, const struct waiting *waiting) {
    uint32_t time = waiting->first_taken < waiting->awaited ? waiting->first_taken : waiting->awaited;
    if (time == PART_NONE)
        return parts_give_up(graph->parts, "rank %u may wait for a message that does not come", graph->rank);
    if (waiting->first_refused < time)
        return parts_give_up(graph->parts, "rank %u may wait for messages in another order than they come", graph->rank);
    return next_given(graph) >= time ||
           parts_give_up(graph->parts, "rank %u may wait for a message before it sends what others wait for", graph->rank);
}

static bool check_end(const struct graph *graph, const struct part_stand *stand) {
    const struct part *part = graph->part;
    for (uint32_t event = 0; event < part->events; event++)
        if (!half_has(events_of(graph, graph->here), event))
            return parts_give_up(graph->parts, "rank %u may end before it has taken all messages", graph->rank);
    if (next_given(graph) != PART_NONE)
        return parts_give_up(graph->parts, "rank %u may end before it has sent all messages", graph->rank);
    return stand->outcome == part->outcome ||
           parts_give_up(graph->parts, "how rank %u ends depends on the order of messages", graph->rank);
}

static bool expand(struct graph *graph, uint32_t from) {
    const struct parts_model *model = graph->parts->model;
    struct waiting waiting = {.first_taken = PART_NONE, .first_refused = PART_NONE, .awaited = PART_NONE};
    struct part_stand stand;
    memcpy(graph->here, graph->node + from * graph->size, graph->size * sizeof *graph->here);
    if (!model->stand(model->self, graph->rank, graph->here[STATE], &stand))
        return false;
    if (stand.ended)
        return check_end(graph, &stand);
    if (stand.releases && !release(graph, from, &stand, &waiting))
        return false;
    if (stand.meeting != PART_NONE && !leave(graph, from, stand.meeting, &waiting))
        return false;
    for (size_t i = 0; i < graph->part->ins; i++)
        if (!take_from_lane(graph, from, &graph->part->in[i], &waiting))
            return false;
    for (uint32_t i = 0; i < stand.choices; i++)
        if (!follow(graph, from, &(struct part_move){.kind = PART_CHOOSE, .which = i}, PART_NONE))
            return false;
    return stand.choices || waiting.surely || is_good(graph, &waiting);
}

/* ---- all of it ---- */

static struct graph graph_new(struct parts *parts, unsigned rank) {
    struct part *part = &parts->part[rank];
    struct graph graph = {.parts = parts, .rank = rank, .part = part, .size = SETS + 2 * (part->given_words + part->words)};
    graph.here = growing_new(graph.size * sizeof *graph.here);
    graph.there = growing_new(graph.size * sizeof *graph.there);
    graph.condition = growing_new((part->events + 1) * sizeof *graph.condition);
    graph.past = growing_new((parts->words + 1) * sizeof *graph.past);
    graph.entry = growing_new(parts->model->ranks * sizeof *graph.entry);
    graph.content = growing_new(parts->model->ranks * sizeof *graph.content);
    return graph;
}

static void graph_free(struct graph *graph) {
    uint64_t bytes = graph->room * sizeof *graph->node + graph->slots * sizeof *graph->slot;
    struct parts_statistics *statistics = &graph->parts->statistics;
    if (bytes > statistics->bytes)
        statistics->bytes = bytes;
    free(graph->node);
    free(graph->slot);
    free(graph->here);
    free(graph->there);
    for (size_t i = 0; i < graph->part->events; i++)
        free(graph->condition[i].way);
    free(graph->condition);
    free(graph->past);
    free(graph->entry);
    free(graph->content);
}

static bool explore(struct graph *graph) {
    const struct parts_model *model = graph->parts->model;
    if (!follow(graph, PART_NONE, &(struct part_move){.kind = PART_BEGIN}, PART_NONE))
        return false;
    for (uint32_t i = 0; i < graph->nodes; i++)
        if ((i % 64 == 0 && model->stop(model->self)) || !expand(graph, i))
            return false;
    return true;
}

bool parts_explore(struct parts *parts, unsigned rank, bool *weaker) {
    struct graph graph = graph_new(parts, rank);
    graph.part->transitions = graph.part->deliveries = 0;
    graph.here[SEEN] = PART_NONE;
    find_conditions(&graph);
    bool explored = explore(&graph);
    graph.part->states = graph.nodes;
    parts->statistics.states += graph.nodes;
    *weaker |= graph.weaker;
    graph_free(&graph);
    return explored;
}
