/* The partial-order execution graph of one run (Schaeli 2009, chapters 4.4.1 and 5.5): its events, messages received and collectives, and what must
 * precede what: an event what its rank did before, what the sender of its message had done when it sent it, and the taking of synchronous messages that either of them had waited for.
 * Without edges that follow from
 * others. */
#ifndef POR_POEG_H
#define POR_POEG_H

#include "por/parts.h"

struct poeg_event {
    uint32_t number;        /* in the order of the run */
    uint32_t rank;          /* that took the message, or PART_MEETING */
    uint32_t from;          /* who gave it */
    uint32_t content;       /* of a meeting: of one of its entries */
    const uint32_t *before; /* numbers of the events that immediately precede it, ascending */
    size_t befores;
};

/* Runs all ranks once and visits the events in the order of that run. False: the model gave up, or `why` says why there is no such run. */
bool poeg_visit(const struct parts_model *model, void (*visit)(void *context, const struct poeg_event *event), void *context,
                char *why, size_t room);

#endif
