/* Polling that goes on in ever new local states, as when a loop around MPI_Test or MPI_Fetch_and_op counts its rounds: then
 * there is no end to a graph. Nothing can be proved of such a program, but what it counts can be named. So it is with messages that
 * ranks go on sending each other, such as a token whose sum is never right, if nobody has come to an end in any ordering yet. */
#ifndef EXPLORER_ENDLESS_POLLING_H
#define EXPLORER_ENDLESS_POLLING_H

#include "explorer/exploration/exploration.h"

/* A sentence on the longest row of polls that were all answered "not yet", or alike if it is a window that is asked for, and
 * never came back to a state, with what changes in the rank's memory from one to the next; malloc'd. If no row is long, on the
 * longest way of a rank, while none has ended. NULL: no way is long either. */
char *endless_polling_tell(struct exploration *exploration);

#endif
