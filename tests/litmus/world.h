/* A litmus program (programs.h) that can be run: its ranks as toys, and the model for them. */
#ifndef TESTS_LITMUS_WORLD_H
#define TESTS_LITMUS_WORLD_H

#include "tests/litmus/programs.h"
#include "tests/search/toy_ranks.h"

enum { LITMUS_INSTRUCTIONS = 64 };

struct world {
    unsigned ranks;
    struct toy_instruction program[LITMUS_RANKS][LITMUS_INSTRUCTIONS];
    const struct toy_instruction *programs[LITMUS_RANKS];
    unsigned length; /* of the last rank's */
    struct toy *toy;
    struct step_source steps;
    struct mpi_model *model;
};

void world_begin(struct world *world, const char *program, enum buffering buffering);
void world_end(struct world *world);

#endif
