/* Passive target synchronisation (MPI-3.1 section 11.5.3) as the other parts of the chapter see it. */
#ifndef MODELS_MPI_PRELOAD_WINDOW_PASSIVE_H
#define MODELS_MPI_PRELOAD_WINDOW_PASSIVE_H

#include "models/mpi/preload/windows.h"

/* An access to `target` was issued: it goes to the target's agent if the target is locked. */
void passive_issued(const struct caller *caller, struct window *window, int target);

/* The private copy of this process's window and the public one become the same, if there is a public one. Blocks. */
void passive_reconcile(const struct caller *caller, struct window *window);

#endif
