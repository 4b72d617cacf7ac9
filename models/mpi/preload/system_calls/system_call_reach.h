/* How far the memory goes that a system call is given. */
#ifndef MODELS_MPI_PRELOAD_SYSTEM_CALL_REACH_H
#define MODELS_MPI_PRELOAD_SYSTEM_CALL_REACH_H

#include <stdint.h>

/* Bytes from argument `i` on, if that is an address, that the call may access at most. What lies elsewhere, and is only named there
 * (struct iovec), is not counted. */
uint64_t system_call_reach(long number, const long argument[6], int i);

#endif
