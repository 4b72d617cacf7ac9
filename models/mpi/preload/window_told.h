/* What the owner of a window sends of it in an epoch of fences (MPI-3.1 section 11.7). Another process's access may come after that, if
 * its origin has heard of it before it made the access. One whose origin has heard nothing since the epoch began may come at any
 * time, so it must not change what is sent. */
#ifndef MODELS_MPI_PRELOAD_WINDOW_TOLD_H
#define MODELS_MPI_PRELOAD_WINDOW_TOLD_H

#include "models/mpi/preload/windows.h"

/* Is any of what is sent to be noted? */
bool told_wanted(void);
/* A call of the program sends `given`. */
void told_note(const struct caller *caller, const struct footprint *given);
/* The process may have heard something from others. */
void told_heard(void);

/* The call that sent some of the bytes from `from` to before `to` in this epoch; NULL: there is none. */
const struct caller *told_find(const struct window *window, uintptr_t from, uintptr_t to);

/* A fence begins an epoch. What others do in it comes after: they may not access the window before its owner has called the fence. */
void told_begin(struct window *window);
/* Frees what is noted. */
void told_forget(struct window *window);

#endif
