/* The programs and their numbers, each derived in a sentence from the rules of MPI and of the reduction, never from a run.
 *
 * Counted are the states in which something is to be decided, or nothing can happen any more: what is determined is no decision. A
 * standard send that blocks adds, with buffering "all", the choice of being buffered before it is received; without reduction that
 * multiplies the states of its receiver, with it nothing is added where the receiver's choices do not depend on it. */
#include "tests/litmus/programs.h"

#define ALL BUFFERING_ALL
#define NONE BUFFERING_NONE
#define INFINITE BUFFERING_INFINITE

const struct litmus litmus[] = {
    /* Fan-in: a set of messages, in no order. The states are the sets of those received; without reduction each of the others waits
     * or is buffered. */
    {"q* | s0", ALL, 2, 2, 3, "1", 1, "", "2^n states, n 2^(n-1) edges, n! orderings, 3^n in all; n = 1"},
    {"q* q* | s0 | s0", ALL, 4, 5, 9, "2", 1, "", "n = 2"},
    {"q* q* q* | s0 | s0 | s0", ALL, 8, 13, 27, "6", 1, "", "n = 3"},
    {"q* q* q* q* | s0 | s0 | s0 | s0", ALL, 16, 33, 81, "24", 1, "", "n = 4"},
    {"q* q* q* q* q* | s0 | s0 | s0 | s0 | s0", ALL, 32, 81, 243, "120", 1, "", "n = 5"},
    {"q* q* q* q* q* q* | s0 | s0 | s0 | s0 | s0 | s0", ALL, 64, 193, 729, "720", 1, "", "n = 6"},
    {"q* q* q* q* q* q* q* | s0 | s0 | s0 | s0 | s0 | s0 | s0", ALL, 128, 449, 2187, "5040", 1, "", "n = 7"},
    {"q* q* q* q* q* q* q* q* | s0 | s0 | s0 | s0 | s0 | s0 | s0 | s0", ALL, 256, 1025, 6561, "40320", 1, "", "n = 8"},
    {"q* q* q* | s0 | s0 | s0", NONE, 8, 13, 8, "6", 1, "", "no send is buffered: 2^n in all"},
    {"q* q* q* | s0 | s0 | s0", INFINITE, 8, 13, 8, "6", 1, "", "all sends are buffered: 2^n in all"},
    {"q* q* | S0 | S0", ALL, 4, 5, 4, "2", 1, "", "synchronous sends are never buffered"},
    {"q* q* | S0 | s0", ALL, 4, 5, 6, "2", 1, "", "one of two may be: 2 * 3 in all"},

    /* Fan-in whose order shows: the states are the sequences received, n! / (n-k)! of length k; a tree. */
    {"r* | s0", ALL, 2, 2, 3, "1", 1, "", "n = 1"},
    {"r* r* | s0 | s0", ALL, 5, 5, 10, "2", 2, "race-output", "1 + 2 + 2; in all 1 * 4 + 2 * 2 + 2"},
    {"r* r* r* | s0 | s0 | s0", ALL, 16, 16, 38, "6", 6, "race-output", "1 + 3 + 6 + 6; in all 8 + 3 * 4 + 6 * 2 + 6"},
    {"r* r* r* r* | s0 | s0 | s0 | s0", ALL, 65, 65, 168, "24", 24, "race-output",
     "1 + 4 + 12 + 24 + 24; in all 16 + 32 + 48 + 48 + 24"},
    {"r* r* r* r* r* | s0 | s0 | s0 | s0 | s0", ALL, 326, 326, 872, "120", 120, "race-output",
     "1 + 5 + 20 + 60 + 120 + 120; in all 32 + 80 + 160 + 240 + 240 + 120"},
    {"r* r* r* | s0 | s0 | s0", NONE, 16, 16, 16, "6", 6, "race-output", "nothing but the tree"},

    /* Nothing to decide: the end is the only state. */
    {"r1 r2 | s0 | s0", ALL, 1, 1, 1, "1", 1, "", "named receives"},
    {"s1 | r0 s2 | r1 s3 | r2", ALL, 1, 1, 1, "1", 1, "", "a pipeline"},
    {"S1 r2 | r0 S2 | r1 S0", ALL, 1, 1, 1, "1", 1, "", "a ring that one rank starts"},
    {"s1 r1 | r0 s0", NONE, 1, 1, 1, "1", 1, "", "ping-pong"},
    {"i1:a r1 wa | i0:a r0 wa", NONE, 1, 1, 1, "1", 1, "", "an exchange with nonblocking sends"},
    {"j1:a j2:b Wab | s0 | s0", ALL, 1, 1, 1, "1", 1, "", "Waitall for named receives"},
    {"b | b | b", ALL, 1, 1, 1, "1", 1, "", "a barrier"},
    {"c0 d0 | c0 d0 | c0 d0", ALL, 1, 1, 1, "1", 1, "", "all enter before anything is to be decided"},
    {"P1 r1 | s0", ALL, 1, 1, 1, "1", 1, "", "a named probe finds the only message"},

    /* Head to head. */
    {"s1 r1 | s0 r0", NONE, 1, 1, 1, "1", 0, "deadlock", "both wait to be received"},
    {"s1 r1 | s0 r0", INFINITE, 1, 1, 1, "1", 1, "", "both are buffered"},
    {"s1 r1 | s0 r0", ALL, 2, 3, 2, "3", 1, "deadlock", "the deadlock, which either buffering leaves for the end"},
    {"S1 r1 | S0 r0", ALL, 1, 1, 1, "1", 0, "deadlock", "synchronous sends: nothing can be buffered"},
    {"S1 r1 | s0 r0", ALL, 2, 2, 2, "2", 1, "deadlock", "only rank 1's can be buffered"},
    {"s1 r2 | s2 r0 | s0 r1", ALL, 2, 4, 2, "4", 1, "deadlock", "a ring: any of three bufferings unties it"},
    {"s1 r* | s0 r*", NONE, 1, 1, 1, "1", 0, "deadlock", "both wait to be received"},
    {"s1 r* | s0 r*", ALL, 6, 7, 7, "3", 1, "deadlock",
     "the deadlock; one buffered (2), then received from (2), the end; without reduction also both buffered"},
    {"s1 r* | s0 r*", INFINITE, 3, 3, 4, "1", 1, "", "two independent matches, one after the other; in all 2 * 2"},

    /* Crossed wildcards: two receivers, two senders that send to both. A state says how far each sender is: 3 * 3. */
    {"q* q* | q* q* | s0 s1 | s0 s1", NONE, 7, 9, 9, "4", 1, "",
     "who is first is to be decided for each receiver, but who is second is known by then: two diamonds; in all the 3 * 3 "
     "grid"},

    /* A message may be sent later. */
    {"r* r* | s0 | r3 s0 | s2", ALL, 5, 5, 10, "2", 2, "race-output", "that rank 3 lets rank 2 go is determined: fan-in of 2"},
    {"r* r* | s0 | q* s0 | s2", NONE, 6, 6, 7, "2", 2, "race-output",
     "what rank 2 gets first influences rank 0, not the reverse: that first, then fan-in; else rank 0 may receive from rank 1 "
     "before"},
    {"r* r1 | s0 | s0", NONE, 3, 3, 3, "2", 1, "deadlock",
     "the wildcard takes the message of rank 1: rank 1's is waited for in vain"},
    {"r* r1 | s0 | s0", ALL, 4, 4, 7, "3", 1, "deadlock",
     "and rank 2 may be buffered then: blocked, or not, at the deadlock; in all 4 + 2 + 1"},
    {"r1 r* | s0 | s0", ALL, 2, 2, 3, "1", 1, "", "the named receive first: no choice"},

    /* Messages of one sender do not overtake. */
    {"r* r* | s0 s0", NONE, 3, 3, 3, "1", 1, "", "one after the other"},
    {"r* r* | s0 s0", ALL, 3, 3, 6, "1", 1, "",
     "in all: received 0 to 2, and of the others none to all buffered in order: 3 + 2 + 1"},
    {"j*:a j*:b Wab | s0 | s0", ALL, 5, 5, 10, "2", 2, "race-output", "the receive posted first takes the first: as two Recv"},

    /* Tags and communicators that separate. */
    {"r*.1 r*.0 | s0.0 s0.1", NONE, 1, 1, 1, "1", 0, "deadlock", "the first send waits for the second receive"},
    {"r*.1 r*.0 | s0.0 s0.1", ALL, 4, 4, 5, "2", 1, "deadlock",
     "deadlock, buffered, tag 1 received, both; in all the second may be buffered too"},
    {"r*.1 r*.0 | s0.0 s0.1", INFINITE, 3, 3, 3, "1", 1, "", "both sent at once"},
    {"r1.1 r1.0 | s0.0 s0.1", ALL, 2, 2, 2, "2", 1, "deadlock", "the same by name: determined once the first is buffered"},
    {"r*.1 r*.2 | s0.1 | s0.2", ALL, 3, 3, 7, "1", 1, "", "tags leave one source each; in all 4 + 2 + 1"},
    {"r*.* r*.* | s0.1 | s0.2", ALL, 5, 5, 10, "2", 2, "race-output", "any tag: fan-in of 2"},
    {"r* r*' | s0 | s0'", ALL, 3, 3, 7, "1", 1, "", "communicators leave one source each; in all 4 + 2 + 1"},
    {"r*' r* | s0 s0'", NONE, 1, 1, 1, "1", 0, "deadlock", "as with tags"},
    {"r*' r* | s0 s0'", ALL, 4, 4, 5, "2", 1, "deadlock", "as with tags"},
    {"j*:a j*:b' Wab | s0 | s0'", NONE, 4, 5, 4, "2", 1, "", "two matches of one rank, in either order"},
    {"b' b | b' b", ALL, 1, 1, 1, "1", 1, "", "barriers of two communicators"},
    {"b' b | b b'", ALL, 1, 1, 1, "1", 0, "deadlock", "in different orders"},

    /* Independent groups: the cost is the sum, although all wildcards are on one communicator. */
    {"q* | s0 | q* | s2", ALL, 3, 3, 9, "1", 1, "", "two pairs, one after the other; in all 3 * 3"},
    {"q* | s0 | q* | s2", NONE, 3, 3, 4, "1", 1, "", "in all 2 * 2"},
    {"q* | s0 | q* | s2 | q* | s4", ALL, 4, 4, 27, "1", 1, "", "three pairs; in all 3^3"},
    {"q* q* | s0 | s0 | q* q* | s3 | s3", NONE, 7, 9, 16, "4", 1, "",
     "two fans-in: 4 + 3 states, 1 + 4 + 4 edges, 2 * 2 orderings; in all 4 * 4"},
    {"q* q* | s0 | s0 | q* q* | s3 | s3", ALL, 7, 9, 81, "4", 1, "", "in all 9 * 9"},
    {"q* q* | s0 | s0 | q* q* | s3 | s3 | q* q* | s6 | s6", ALL, 10, 13, 729, "8", 1, "", "three: 4 + 3 + 3; in all 9^3"},
    {"r* r* | s0 | s0 | r* r* | s3 | s3", NONE, 13, 13, 25, "4", 4, "race-output",
     "a tree of 5, and one of 4 more at both its ends; in all 5 * 5"},
    {"r* r* | s0 | s0 | r* r* | s3 | s3", ALL, 13, 13, 100, "4", 4, "race-output", "in all 10 * 10"},

    /* Pipelines with wildcards: each stage has one source. */
    {"s1 | q* s2 | q*", ALL, 3, 3, 5, "1", 1, "", "stage by stage; in all each send waits or is buffered: 2 + 2 + 1"},
    {"s1 | q* s2 | q* s3 | q*", ALL, 4, 4, 7, "1", 1, "", "2 + 2 + 2 + 1 in all"},
    {"s1 | q* s2 | q* s3 | q*", NONE, 4, 4, 4, "1", 1, "", "one state a stage"},

    /* Sets of requests. */
    {"j1:a j2:b Aab | s0 | s0", ALL, 3, 3, 3, "2", 2, "race-output", "both complete: either is told"},
    {"j1:a j2:b Mab | s0 | s0", ALL, 4, 4, 4, "3", 3, "race-output", "both complete: either, or both"},
    {"j1:a ta | s0", ALL, 3, 3, 3, "2", 2, "race-output", "complete, but Test may say no"},
    {"i1:a i2:b Aab | r0 | r0", NONE, 3, 3, 3, "2", 2, "race-output", "both sends are received: either is told"},
    {"i1:a i2:b Aab | r0 |", NONE, 2, 2, 2, "1", 1, "unreceived-message", "only one can be told"},
    {"i1:a i2:b Aab | r0 |", INFINITE, 3, 3, 3, "2", 2, "race-output unreceived-message", "the other is complete, too"},
    {"i1:a i2:b Aab | r0 |", ALL, 5, 5, 5, "3", 2, "race-output unreceived-message",
     "told of the first, or the second is buffered and then either is told: what is left over differs each time"},
    {"I1:a wa | r0", ALL, 1, 1, 1, "1", 1, "", "a synchronous request"},
    {"I1:a wa |", ALL, 1, 1, 1, "1", 0, "deadlock", "that nobody receives"},

    /* Who hears of a rank before it sends to it is no rival of others' until that rank has moved. */
    {"q* q* s1.1 r1.1 s1 q* | q* q* s0.1 r0.1 s0 q* | s0 | s0 | s1 | s1", INFINITE, 9, 11, 19, "4", 1, "",
     "fans-in of 2, 2, 1 and 1, one after the other: 4 + 3 + 1 + 1 states, 1 + 4 + 4 + 1 + 1 edges; in all 4 * 4 + 2 * 2 - 1"},
    {"q* q* s6 r6.1 s1 q* | q* q* s6 r6.1 s0 q* | s0 | s0 | s1 | s1 | r0 r1 s0.1 s1.1", INFINITE, 9, 11, 19, "4", 1, "",
     "by way of a third rank"},

    /* Polling: going round does not make states. */
    {"j1:a ta@ | s0", ALL, 2, 3, 2, "infinite", 1, "", "not yet leads back; in the end it is told"},
    {"j1:a ta@ |", ALL, 1, 2, 1, "infinite", 0, "livelock", "nothing ever comes"},
    {"p1@ r1 | s0", NONE, 2, 3, 2, "infinite", 1, "", "not yet, or found, and received: determined"},
    {"p*@ q* | s0", NONE, 3, 4, 3, "infinite", 1, "", "found, then a match"},
    {"p*@ q* | s0", ALL, 3, 4, 5, "infinite", 1, "", "in all 2 + 2 + 1"},

    /* Probe, then receive. */
    {"P* r* | s0", NONE, 3, 3, 3, "1", 1, "", "found, received"},
    {"P* r* | s0", ALL, 3, 3, 5, "1", 1, "", "in all 2 + 2 + 1"},
    {"P* r* r* | s0 | s0", NONE, 6, 7, 6, "4", 2, "race-output", "found either way, with the same to follow: fan-in of 2"},
    {"P* r* r* | s0 | s0", ALL, 6, 7, 14, "4", 2, "race-output", "in all 4 + 10"},

    /* Collectives in between. */
    {"r* b r* | s0 b | b s0", ALL, 3, 3, 5, "1", 1, "",
     "the barrier leaves one source each, as rank 2 sends only after rank 0 has entered it: in all 2 + 2 + 1"},
    {"r* b r* | s0 b | b s0", NONE, 3, 3, 3, "1", 1, "", "no buffering to be considered"},
    {"q* q* | q* q* | s0 s1 | s0 s1", INFINITE, 7, 9, 16, "4", 1, "",
     "all has been sent: one receiver's four sets, then the other's; in all 4 * 4"},
    {"j*:a i1:b Wab | j*:a i0:b Wab", NONE, 3, 3, 4, "1", 1, "",
     "neither goes on before it has received, so nothing depends on when its own message is: one after the other; in all 2 * "
     "2"},
    {"q* q* b q* q* | q* q* b q* q* | s0 s1 b s0 s1 | s0 s1 b s0 s1", INFINITE, 13, 17, 31, "16", 1, "",
     "the same before and after a barrier: 7 + 6; in all 16 + 15"},
    {"c0 s1 | r0 c0", NONE, 1, 1, 1, "1", 0, "deadlock", "a root that waits for the others"},
    {"c0 s1 | r0 c0", INFINITE, 1, 1, 1, "1", 1, "", "a root that does not"},
    {"c0 s1 | r0 c0", ALL, 2, 2, 2, "2", 1, "deadlock", "it may leave early"},
    {"r1 d0 | d0 s0", NONE, 1, 1, 1, "1", 0, "deadlock", "the contributor waits for the root"},
    {"r1 d0 | d0 s0", ALL, 2, 2, 2, "2", 1, "deadlock", "it may leave early"},
    {"r1 b | b s0", ALL, 1, 1, 1, "1", 0, "deadlock", "nobody leaves a barrier early"},

    /* Messages to oneself. */
    {"s0 r0", NONE, 1, 1, 1, "1", 0, "deadlock", "not buffered"},
    {"s0 r0", ALL, 2, 2, 2, "2", 1, "deadlock", "or buffered"},
    {"i0:a r0 wa", NONE, 1, 1, 1, "1", 1, "", "nonblocking"},
    {"j*:a s0 wa", NONE, 2, 2, 2, "1", 1, "", "a wildcard receive posted before"},
    {"j*:a s0 wa", ALL, 3, 4, 3, "2", 1, "", "received at once, or buffered first"},

    /* Errors. */
    {"r* r* x3 | s0 | s0", NONE, 5, 5, 5, "2", 1, "crash", "fan-in of 2: one of the two ends is a crash"},
    {"r* r* x3 | s0 | s0", ALL, 6, 7, 10, "3", 1, "crash",
     "what an error may hide is not put off: the last message is also buffered before it"},
    {"r1 x2 | s0 | q* s2 | s2 r2", NONE, 1, 1, 1, "1", 0, "crash", "what others might do at the next decision does not follow"},
};

const unsigned litmus_count = sizeof litmus / sizeof *litmus;

/* The reversal of races needs a source set in each state. Where one receive, or one call, can be answered in several ways, these exclude
 * each other, so the set holds them all; and who is not concerned comes later. That is what persistent sets hold, too, so the
 * numbers are the same but for these. */
const struct litmus_reversed litmus_reversed[] = {
    {"j*:a j*:b' Wab | s0 | s0'", NONE, 3, "neither match excludes the other: one order of the two"},
    {"s1 r1 | s0 r0", ALL, 1, "buffered: no deadlock"},
    {"S1 r1 | s0 r0", ALL, 1, "buffered: no deadlock"},
    {"s1 r2 | s2 r0 | s0 r1", ALL, 1, "buffered: no deadlock"},
    {"s1 r* | s0 r*", ALL, 3, "both are buffered: two independent matches"},
    {"r* r1 | s0 | s0", ALL, 3, "rank 2 has gone on at the deadlock"},
    {"r*.1 r*.0 | s0.0 s0.1", ALL, 3, "buffered: no deadlock"},
    {"r1.1 r1.0 | s0.0 s0.1", ALL, 1, "buffered: no deadlock"},
    {"r*' r* | s0 s0'", ALL, 3, "buffered: no deadlock"},
    {"i1:a i2:b Aab | r0 |", ALL, 3, "both sends are complete: either is told"},
    {"c0 s1 | r0 c0", ALL, 1, "it leaves early"},
    {"r1 d0 | d0 s0", ALL, 1, "it leaves early"},
    {"s0 r0", ALL, 1, "buffered"},
    {"j*:a s0 wa", ALL, 2, "buffered first"},
    {"r* r* x3 | s0 | s0", NONE, 4, "a crash is no state"},
    {"r* r* x3 | s0 | s0", ALL, 4, "a crash is no state, and nothing blocks"},
    {"r1 x2 | s0 | q* s2 | s2 r2", NONE, 0, "a crash is no state"},
};
const unsigned litmus_reversed_count = sizeof litmus_reversed / sizeof *litmus_reversed;
