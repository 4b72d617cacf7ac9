/* An abstract program as C with MPI calls, so that the whole tool can be run on it. */
#ifndef TESTS_ORACLE_EMIT_C_H
#define TESTS_ORACLE_EMIT_C_H

#include "tests/oracle/program.h"

void emit_c(const struct program *program, FILE *out);

#endif
