/* Polling that goes on in ever new local states, as when a loop around MPI_Test or MPI_Fetch_and_op counts its rounds: then
 * there is no end to a graph. Nothing can be proved of such a program, but what it counts can be named. */
#ifndef EXPLORER_ENDLESS_POLLING_H
#define EXPLORER_ENDLESS_POLLING_H

#include "explorer/exploration.h"

/* A sentence on the longest row of polls that were all answered "not yet", or alike if it is a window that is asked for, and
 * never came back to a state, with what changes in the rank's memory from one to the next; malloc'd. NULL: no row is long. */
char *endless_polling_tell(struct exploration *exploration);

#endif
