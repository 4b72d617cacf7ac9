/* Memory of this process's windows that accesses of its own to other windows read or change, as it is in their buffers: a use
 * of it at the same time as what others access there (MPI-3.1 section 11.7). The agent is told where a use begins and ends, so
 * that others' accesses can meet it like those of each other.
 *
 * A use goes from when others may first hear something after the call until the access is going to be complete: that it is can
 * be told others by who sees what it did. Nothing waits for the agent's being told of a beginning; of an end it must know
 * before what tells others of it goes on. */
#ifndef MODELS_MPI_PRELOAD_WINDOW_USES_H
#define MODELS_MPI_PRELOAD_WINDOW_USES_H

#include "models/mpi/preload/windows/windows.h"

/* The agent is told what is used of the window's memory now, if that is something else than it knows; `waits`: also of ends. */
void uses_tell(const struct caller *caller, struct window *window, bool waits);
/* The window is no more. */
void uses_forget(struct window *window);

#endif
