/* Enumerates everything that an abstract program can do, one action at a time in every order, from an operational reading
 * of MPI-3.1 that shares nothing with the model under test: no matching is known to be determined, no rank runs ahead, no
 * ordering is left out. Each standard send chooses at its call whether it is buffered, each collective at its call
 * whether it synchronises. The only help is a table of states already seen, compared in full (and a test runs without).
 */
#ifndef TESTS_ORACLE_BRUTE_H
#define TESTS_ORACLE_BRUTE_H

#include "tests/oracle/behaviours.h"
#include "tests/oracle/program.h"

enum brute_buffering { BRUTE_ALL, BRUTE_NONE, BRUTE_INFINITE };

struct brute_options {
    enum brute_buffering buffering;
    bool plain;      /* remember no state: walk every ordering to its end; not for programs with loops */
    bool matches;    /* add a line for each receive and each send that it can match: "match 0@4 2@1" */
    uint64_t states; /* give up beyond so many states */
};

/* Fills `set` (must be empty). Returns false if the program has too many states or operations. */
bool brute_run(const struct program *program, const struct brute_options *options, struct behaviours *set, uint64_t *states);

#endif
