/* `explore replay --mpiexec`: a witness under the user's own MPI. */
#ifndef EXPLORER_REPLAY_REAL_H
#define EXPLORER_REPLAY_REAL_H

#include "explorer/orderings/ending.h"
#include "explorer/orderings/witness_file.h"

/* Follows the witness in the explorer to learn what each rank chooses, then runs the program under mpiexec so. The exit code: 1 if
 * the finding happened there too, 0 if not, 2 if it was interrupted, 3 if it cannot be run or departs from the witness. */
int replay_real(struct exploration *exploration, const struct witness_file *witness);

#endif
