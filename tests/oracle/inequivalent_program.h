/* Optimal partial-order reduction over an abstract program, compared with all orderings of the same model. */
#ifndef TESTS_ORACLE_INEQUIVALENT_PROGRAM_H
#define TESTS_ORACLE_INEQUIVALENT_PROGRAM_H

#include "models/mpi/model.h"
#include "tests/oracle/program.h"

/* Of BUFFERING_NONE or BUFFERING_INFINITE. NULL if all is well (tests/por/classes.h), there are more orderings than `most`, or what the program does is not for this reduction
 * (then *compared is false). */
const char *inequivalent_difference(const struct program *program, enum buffering buffering, uint64_t most, bool *compared);

#endif
