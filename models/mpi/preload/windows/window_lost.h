/* Memory of a window that is lost: the program has freed it, or left the function on whose stack it was, and has not freed the
 * window, or detached the memory, before. That is forbidden (MPI-3.1 section 11.2.5), or advised against (11.2.4); it does no harm
 * as long as nobody accesses it at the same time or later. Who does is found by the owner in epochs of fences and post, and by its
 * agent in those of locks, which is told as of stores.
 *
 * There may be something else in its place now, so the window has a copy of its own instead, of what it held last. */
#ifndef MODELS_MPI_PRELOAD_WINDOW_LOST_H
#define MODELS_MPI_PRELOAD_WINDOW_LOST_H

#include "models/mpi/preload/windows/windows.h"

/* Before the library looks at what the window holds. */
void lost_look(const struct caller *caller, struct window *window);
/* Frees what it has instead of lost memory. */
void lost_forget(struct window_region *region);

/* Ends the rank: an access to memory of the rank `owner` in MPI_COMM_WORLD that is lost. */
_Noreturn void lost_report(const struct caller *caller, int owner, const struct access *access, const struct access_run *at);

#endif
