/* Advice on synchronous sends and barriers (explore --advice) against brute force. */
#ifndef TESTS_ORACLE_ADVICE_H
#define TESTS_ORACLE_ADVICE_H

#include "tests/oracle/program.h"

struct advice_count {
    uint64_t useless, named; /* synchronous sends that decide no match, and those of them that advice is given on */
    uint64_t useless_barriers, named_barriers; /* the same of all blocking barriers of a program together */
    uint64_t useless_groups, named_groups;     /* and of each barrier, wherever ranks call it */
};

/* Makes some sends of the program synchronous, and barriers of its collectives. If it is then proved by parts: whichever of them
 * advice is given on, as a standard send the same receives must be able to match the same sends; and the same without barriers.
 * True: so it is, or the program has more than `limit` states. */
bool advice_holds(const struct program *program, uint64_t limit, struct advice_count *count);

#endif
