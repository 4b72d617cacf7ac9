/* Which of a rank's threads may call MPI, and when: MPI-3.1 section 12.4. What is asked of MPI_Init_thread is granted.
 *
 *     granted                     who may call
 *     MPI_THREAD_SINGLE, FUNNELED the thread that called MPI_Init, the main one
 *     MPI_THREAD_SERIALIZED       any, while no other one is in a call
 *     MPI_THREAD_MULTIPLE         any; but a rank waits in one call at a time here, so two at once are refused
 */
#ifndef MODELS_MPI_PRELOAD_THREAD_CALLS_H
#define MODELS_MPI_PRELOAD_THREAD_CALLS_H

#include "models/mpi/preload/caller.h"

/* At MPI_Init: the level that the program has. */
void thread_calls_grant(int level);
int thread_calls_granted(void);

/* Ends the rank if the thread that makes this call may not make it, or not now; tells the explorer of the first call by another
 * thread than the main one. */
void thread_calls_require(const struct caller *caller);
/* ... and if it may not be made by another than the main one whatever was granted. */
void thread_calls_require_main(const struct caller *caller);

/* The call begins, and ends. `caller` is in the frame of the function that the program has called, and tells which of two nested
 * calls (a callback of the program calls MPI) is the outer one. */
void thread_calls_begin(const struct caller *caller);
void thread_calls_end(const struct caller *caller);

#endif
