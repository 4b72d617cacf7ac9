/* Seeded random abstract programs of one rank and others that do the same, or nearly so. */
#ifndef TESTS_ORACLE_ALIKE_H
#define TESTS_ORACLE_ALIKE_H

#include "tests/oracle/program.h"

/* `smaller`: as of struct generator_options. */
void generate_alike(struct program *program, uint64_t seed, unsigned smaller);

#endif
