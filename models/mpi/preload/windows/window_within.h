/* Windows made (MPI_Win_create) of memory that belongs to a shared window: parts of its segments, which every member of that one loads
 * from and stores to. What has become of them the agent knows that has the segments. So it has the windows within them, too
 * (AGENT_CREATE_WITHIN): what is its own of such a window are locks, epochs and accesses in progress; its memory is the segments'.
 * Whatever changes it through one is at once what others load, or access, through another.
 *
 *     program                          agent of the shared window's first member
 *     loads, stores -- AGENT_SHARE --> segment 0  segment 1  segment 2 ...         who has what in memory: window_views.c
 *                                          \________/            \
 *     MPI_Put ...  -- AGENT_ACCESS ---> window within them     another one
 *
 * The owner has no public copy of such a window to keep in step with: its memory comes and goes with the shared window's
 * (window_sharing.h). Who is done with a lock or epoch looks at that, as others may have changed what it loads.
 *
 * Accesses go to the agent when they are made, in epochs of all kinds, and go on until they are completed there, by MPI_Win_flush and
 * its kin, by the target's MPI_Win_wait (window_served.h), or by the fence that ends the epoch. Meanwhile they must not meet others
 * that go on, through whatever window (window_overlaps.c; which is what AGENTS_MEETING is for), nor stores, nor loads.
 *
 * In epochs of fences too it is the agent that does the accesses, to the shared window as well, as when the fence comes in which the
 * owner could do them others may long have accessed the memory. They wait there until the owner has called the fence that begins the
 * epoch, of which only one with MPI_MODE_NOPRECEDE lets others go on before: it counts those since the last that all entered (`begun`
 * of struct window), and so do the origins. The fence that ends it brings the owner all accesses, so it knows how many the agent has to
 * have done. */
#ifndef MODELS_MPI_PRELOAD_WINDOW_WITHIN_H
#define MODELS_MPI_PRELOAD_WINDOW_WITHIN_H

#include "models/mpi/preload/windows/windows.h"

/* The window has just been made: is this process's memory of it in a shared window? Begins anew with agents if they have to be there.
 * Refuses what is only in part, or whose agent is no member's. */
void within_begin(const struct caller *caller, struct window *window);
/* Has the agent make it. `gone`: `size` bytes that it is told of windows that are no more. */
void within_ask_creation(const struct caller *caller, struct window *window, const char *gone, size_t size);

#endif
