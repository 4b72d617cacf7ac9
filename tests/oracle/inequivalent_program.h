/* Reductions by classes of equivalent orderings, over an abstract program, compared with all orderings of the same model. */
#ifndef TESTS_ORACLE_INEQUIVALENT_PROGRAM_H
#define TESTS_ORACLE_INEQUIVALENT_PROGRAM_H

#include "tests/oracle/program.h"
#include "tests/por/classes.h"

/* Of BUFFERING_NONE or BUFFERING_INFINITE. Not compared are programs with more orderings than `most`, or that do what is not for these
 * reductions. */
struct classes_comparison inequivalent_compare(const struct program *program, enum buffering buffering, uint64_t most);
struct classes_comparison inequivalent_compare_merged(const struct program *program, enum buffering buffering, uint64_t most);

#endif
