/* Litmus programs: written as text, one word an instruction, ranks separated by "|".
 *
 *     s1 S1        standard, synchronous send to rank 1; the value is 1 + the sender's rank
 *     i1:a I1:a    the same, nonblocking: request a (or b)
 *     r1 r*        receive from rank 1, from any: the value counts (is folded into what the rank prints at its end)
 *     q1 q*        the same, but the value is forgotten
 *     k1 k*        the same, but the value is only kept for x
 *     j1:a j*:a    nonblocking receive, request a
 *     wa Wab       wait for a; for both: values count
 *     Aab Mab      Waitany, Waitsome: what completed counts
 *     ta           test: the flag counts
 *     P1 P*        probe
 *     p1@ p*@ ta@  iprobe or test, again and again until it says yes
 *     b c0 d0      barrier, broadcast from rank 0, reduction to rank 0
 *     x3           crash if the last value received is 3
 *
 * ".1" after a rank: with tag 1 (else 0), ".*": any tag; "'" at the end: on the second communicator.
 */
#ifndef TESTS_LITMUS_PROGRAMS_H
#define TESTS_LITMUS_PROGRAMS_H

#include "models/mpi/model.h"

enum { LITMUS_RANKS = 10 };

struct litmus {
    const char *program;
    enum buffering buffering;
    uint64_t states, transitions; /* with reduction; the edge to the first state is a transition */
    uint64_t all_states;          /* without */
    const char *orderings;        /* of the reduced graph; a deadlock that a buffering would resolve ends one, too */
    uint64_t outcomes;
    const char *findings; /* classes in alphabetical order, each once */
    const char *why;
};

extern const struct litmus litmus[];
extern const unsigned litmus_count;

/* Of which of them the reversal of races makes a graph of fewer states than `states`, with `buffering`, or "infinite" for "all". */
struct litmus_reversed {
    const char *program;
    enum buffering buffering; /* as above */
    uint64_t states;
    const char *why;
};

extern const struct litmus_reversed litmus_reversed[];
extern const unsigned litmus_reversed_count;

#endif
