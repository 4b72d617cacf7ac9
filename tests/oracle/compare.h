/* One program, one buffering: does the real search find what brute force finds? */
#ifndef TESTS_ORACLE_COMPARE_H
#define TESTS_ORACLE_COMPARE_H

#include "tests/oracle/advice.h"
#include "tests/oracle/behaviours.h"
#include "tests/oracle/brute.h"
#include "tests/oracle/program.h"

enum verdict { VERDICT_AGREE, VERDICT_DIFFER, VERDICT_BEYOND /* too large for the reference */ };

/* What the searches are compared with. */
struct reference {
    uint64_t limit; /* of its states */
    bool plain;
    bool alike;     /* the program is made of ranks that do the same: without telling them apart, too */
    bool unreduced; /* not brute force but the search without reduction: for programs too large for brute force */
};

struct comparison {
    enum verdict verdict;
    struct behaviours brute; /* the reference's */
    struct behaviours search;
    struct behaviours whole; /* what the search without reduction found; empty if it may hide a cancellation */
    const char *difference;  /* what differs and in which kind of search */
    uint64_t brute_states, search_states, reduced_states, merged_states;
    uint64_t merged;   /* local states taken for others, as they behave alike */
    unsigned mistakes; /* times that this was wrong, and the search done again */
    bool clean;        /* ends in one way */
    bool alike;        /* proved without telling ranks apart */
    bool proved;       /* by parts */
    bool inequivalent; /* optimal reduction was compared with all orderings, */
    bool reversed;     /* and the reversal of races with states merged */
    uint64_t reversed_states;
    struct advice_count advice;
};

/* Runs brute force, then the search without reduction, with it, stopping at the first finding, with several workers, saved
 * and gone on with after every other layer, and taking local states that behave alike for one; then the proof by parts and, where brute force is the reference, advice on synchronous
 * sends, optimal reduction, and the reversal of races. `comparison` must be cleared by the caller. */
void compare(const struct program *program, enum brute_buffering buffering, struct reference reference,
             struct comparison *comparison);
void comparison_clear(struct comparison *comparison);
const char *buffering_name(enum brute_buffering buffering);

#endif
