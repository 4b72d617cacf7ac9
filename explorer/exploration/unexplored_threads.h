/* Ranks of which several threads call MPI, or would have several if they could. The orders in which messages come are all
 * explored, the orders in which threads come are not: a verdict that nothing was found does not speak of those, nor does one
 * that ranks go on for ever. */
#ifndef EXPLORER_UNEXPLORED_THREADS_H
#define EXPLORER_UNEXPLORED_THREADS_H

#include "explorer/exploration/exploration.h"

/* A sentence that names them, or says that OpenMP has one thread alone; malloc'd. NULL: there is nothing of that kind. */
char *unexplored_threads_tell(const struct exploration *exploration);

#endif
