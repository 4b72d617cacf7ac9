/* A toy model of messages: a receiver takes one message from each of its senders' queues, from whichever has one; a message may
 * need that another one was received before it is sent. No MPI, no ranks that run. */
#ifndef TESTS_HEURISTICS_TOY_H
#define TESTS_HEURISTICS_TOY_H

#include "heuristics/portfolio.h"

enum { TOY_RANKS = 16, TOY_MESSAGES = 16, TOY_NEEDS_NOTHING = -1 };

/* Message i of a program; a letter stands for it in orderings: 'a' + i. */
struct toy_message {
    uint16_t from, to;
    int needs; /* the message that must have been received before, or TOY_NEEDS_NOTHING */
    bool optional;
    bool polled; /* until it is received its receiver may also be told "not yet", which is written as '.' */
};

/* One ordering as the strategy gives it, as letters; "" if it gives no more. At most `most` moves. */
const char *toy_ordering(const struct strategy *strategy, void *self, const struct toy_message *message, size_t messages,
                         size_t most);

#endif
