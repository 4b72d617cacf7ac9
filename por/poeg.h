/* The partial-order execution graph of one run (Schaeli 2009, chapters 4.4.1 and 5.5): its events, messages received and
 * collectives, and what must precede what: an event what its rank did before, what the sender of its message had done when it sent
 * it, and the taking of synchronous messages that either of them had waited for. Without edges that follow from others.
 *
 * A rank's events fall into *subgroups* (chapter 4.4.2). Between two of them is a cut: a place in its sequence of events before
 * which the same events are in whatever order messages come. The chapter finds cuts by a unit flow from the first events to the
 * last ones, split evenly among successors; a cut is where all of it passes one node, an event or the node put between two sets of
 * which each event of one precedes each of the other. As every path has some of the flow, that is so if and only if all that comes
 * before the cut precedes all that comes behind it. Here each event has an earliest place in the sequence of its rank: what its
 * message depends on has happened, the rank waits for such a message, and none of the same line goes first. So a cut is a place
 * before which no later event can come.
 *
 * A proof by parts gains nothing from cuts. It builds a rank's graph of states and not its orders: behind a cut all have had the
 * same events, and if these left the rank in one state, the graph goes on from one node. Then its size is the sum of what the
 * subgroups have, without anybody looking for cuts. If they left it in several, each has to be followed. */
#ifndef POR_POEG_H
#define POR_POEG_H

#include "por/parts.h"

struct poeg_event {
    uint32_t number;        /* in the order of the run */
    uint32_t rank;          /* that took the message, or PART_MEETING */
    uint32_t from;          /* who gave it */
    uint32_t content;       /* of a meeting: of one of its entries */
    uint32_t subgroup;      /* of its rank, counted from 0. Of a meeting: of one of its members */
    const uint32_t *before; /* numbers of the events that immediately precede it, ascending */
    size_t befores;
};

/* Runs all ranks once and visits the events in the order of that run. False: the model gave up, or `why` says why there is no such
 * run. */
bool poeg_visit(const struct parts_model *model, void (*visit)(void *context, const struct poeg_event *event), void *context,
                char *why, size_t room);

#endif
