/* Accesses through other windows of the same memory, in an epoch of fences or of post of this one. The owner has done them when
 * an epoch of the other window ended; those under locks its agent has done, which the owner asks when an epoch begins and when it
 * has ended (AGENT_PASSED). What others access through this window in the epoch that goes on must not meet them, not
 * even if both are atomic (MPI-3.1 sections 11.2.1 and 11.7), unless it came after them: for the owner was behind the call that
 * ended the other epoch when it entered some barrier of all that the origin had left (window_told.h). That the origin had left
 * that call too is not enough, as it may have been done while the owner still was in it; and what else it may have heard is not
 * known well enough. After one under a lock it has come if the origin had left a barrier of all that the other's had not when that
 * was complete; it has not, if it had heard nothing else; and all other cases are refused. */
#ifndef MODELS_MPI_PRELOAD_WINDOW_BESIDE_H
#define MODELS_MPI_PRELOAD_WINDOW_BESIDE_H

#include "models/mpi/preload/windows/windows.h"

/* The accesses through `through` are done, and the epoch over that they were in. */
void beside_note(const struct window *through, const char *batch, size_t size);
/* An epoch of this window begins, or has ended and others' accesses are about to be done: asks for those under locks. */
void beside_ask(const struct caller *caller, struct window *window);
/* Ends the rank if one of these meets an access that was done beside it. */
void beside_check(const struct caller *caller, const struct window *window, const char *batch, size_t size);
/* The epoch is over. */
void beside_forget(struct window *window);

#endif
