/* Advice on calls that hold others up and need not (Schaeli 2009, section 5.5.4). */
#ifndef EXPLORER_ADVICE_H
#define EXPLORER_ADVICE_H

#include "models/mpi/apart.h"

struct exploration;

/* Calls of MPI_Barrier, MPI_Ssend and MPI_Issend that order no messages: if those of one place held nobody up, messages would
 * be received just as they can be now. Of a program that is race-free, as far as it can be looked at by parts. Returns how many
 * places, those of one group one after the other; `call`: malloc'd. */
size_t advice_find(struct exploration *exploration, struct apart_call **call);

#endif
