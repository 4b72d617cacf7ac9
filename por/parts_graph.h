/* The graph of one rank alone, for the two sources that make it: parts_explore.c and parts_offer.c. A node is the rank's state, the
 * message that it was told of last by a probe, which of its gifts it has given, and which of its events it has had. */
#ifndef POR_PARTS_GRAPH_H
#define POR_PARTS_GRAPH_H

#include "por/parts_inside.h"

/* What must precede an event of the rank on its own part, in one of several ways: a set of its events, then one of its gifts, which
 * others must have taken. As they were when the exploration began. */
struct condition {
    uint64_t *way;
    size_t ways;
};

/* A move that may be made in a node. */
struct offered_move {
    enum part_move_kind kind;
    uint32_t which;
    uint32_t gift; /* taken, or the own entry of the meeting left; else PART_NONE */
    bool sees;     /* a message is not taken, but told of */
};

/* A move that neither gave nor took anything. */
struct silent_move {
    uint32_t from, to; /* nodes */
    bool miss;
};

/* What a node that waits is waiting for. */
struct waiting {
    bool surely;            /* it would take, or see again, the message that a probe has told it of: which is there */
    uint32_t first_taken;   /* earliest time of a message not yet taken that it would take; PART_NONE: there is none */
    uint32_t first_refused; /* of one that it would not */
    uint32_t awaited;       /* time of what else it waits for: one thing of that is not later. PART_NONE: nothing */
};

static inline void note_time(uint32_t *earliest, uint32_t time) {
    if (time < *earliest)
        *earliest = time;
}

struct graph {
    struct parts *parts;
    unsigned rank;
    struct part *part;
    uint64_t *node; /* `size` words each: a head, the set of gifts given, that of events had */
    size_t nodes, room, size;
    uint32_t *slot; /* open addressing: node numbers, or PART_NONE */
    size_t slots;
    uint64_t *here, *there;      /* nodes being worked on */
    struct condition *condition; /* for each of the rank's events */
    uint64_t *past;              /* scratch: a set of all events */
    uint32_t *entry, *content;   /* scratch */
    uint32_t *receive;           /* scratch: for each gift of a lane, what would take it */
    struct offered_move *offer;
    size_t offers, offer_room;
    struct silent_move *silent;
    size_t silents, silent_room;
    bool weaker;
};

/* The head: the rank's state, and the event of the message that it has been told of, or PART_NONE. */
static inline uint32_t node_state(const uint64_t *node) { return (uint32_t)node[0]; }
static inline uint32_t node_seen(const uint64_t *node) { return (uint32_t)(node[0] >> 32); }
static inline void node_set_head(uint64_t *node, uint32_t state, uint32_t seen) { node[0] = state | (uint64_t)seen << 32; }

static inline uint64_t *node_gifts(uint64_t *node) { return node + 1; }
static inline uint64_t *node_events(const struct graph *graph, uint64_t *node) { return node + 1 + graph->part->given_words; }

/* Makes graph->here a copy of the node. */
void graph_open(struct graph *graph, uint32_t number);
/* parts.h: is graph->here good, or all nodes of a round that it is one of, where the rank waits like this? False: gives up. */
bool graph_is_good(const struct graph *graph, const struct waiting *waiting);

/* The time of the earliest gift that is not given in graph->here yet. */
uint32_t offer_next_given(const struct graph *graph);
/* Adds the events to the set whose messages the rank would take, or see, in graph->here. */
void offer_add_taken(const struct graph *graph, uint64_t *events);
/* Fills graph->condition, once, and frees it. */
void offer_begin(struct graph *graph);
void offer_end(struct graph *graph);
/* Fills graph->offer with the moves of graph->here, where the rank stands like this. */
void offer_moves(struct graph *graph, const struct part_stand *stand, struct waiting *waiting);

/* How many of its gifts with the same content as its gift `number` the rank has given in the node. `earlier`: those up to that
 * one. */
uint32_t node_twins(const struct graph *graph, uint64_t *node, uint32_t number, bool earlier);

/* parts_rounds.c: after all moves are made: may the rank go round and round where it is not told again and again that there is
 * nothing yet? And are the rounds good in which it is? False: gives up. */
bool rounds_check(struct graph *graph);

/* parts_order.c: adds to *after, which is NULL at first, what the rank may know of in this node: graph->here, when it takes a
 * message, or graph->there, when it gives one. A set of its events, then one of its gifts that were taken. */
void order_note(const struct graph *graph, uint64_t **after, uint64_t *node);

#endif
