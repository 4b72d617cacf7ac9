/* Passive target synchronisation (MPI-3.1 section 11.5.3) as the other parts of the chapter see it. All of these do nothing if there
 * are no agents: then nothing was locked yet. */
#ifndef MODELS_MPI_PRELOAD_WINDOW_PASSIVE_H
#define MODELS_MPI_PRELOAD_WINDOW_PASSIVE_H

#include "models/mpi/preload/windows.h"

/* The window's public copy is made and given up; `attach` and `detach` for regions of a dynamic window. They return when the agent
 * has done it (`end`: will do it with the next window's beginning). */
void passive_begin(const struct caller *caller, struct window *window);
void passive_end(struct window *window);
void passive_attach(const struct caller *caller, struct window *window, const struct window_region *region);
void passive_detach(const struct caller *caller, struct window *window, size_t region);

/* An access to `target` was issued: if the target is locked, it goes to its agent in time. */
void passive_issued(struct window *window, int target);

/* The last access issued to `target` becomes the request's: it is complete for the window's epoch. */
void passive_request(const struct caller *caller, struct window *window, int target, MPI_Request *request);

#endif
