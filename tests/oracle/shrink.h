/* Makes a failing program small. */
#ifndef TESTS_ORACLE_SHRINK_H
#define TESTS_ORACLE_SHRINK_H

#include "tests/oracle/program.h"

/* Deletes instructions as long as `fails` stays true of the program. */
void shrink(struct program *program, bool (*fails)(void *context, const struct program *program), void *context);

#endif
