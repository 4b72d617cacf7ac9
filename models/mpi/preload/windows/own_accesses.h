/* Accesses to this process's window that are known to be in progress (MPI-3.1 section 11.7): what they change there the program may
 * neither load nor store, what they read it may not store, and no operation may use it so.
 *
 * Those of its own are from their calls on, until they are complete where their epoch ends: a fence, MPI_Win_wait, a flush or an
 * unlock; those that only read as soon as they are complete at the origin. Those of others under locks are whenever this process's
 * agent says so, which knows which ones have not been completed: then nothing that this process has heard can come after their
 * completion, until it hears something again, and the agent is asked again. Their accumulates may be loaded meanwhile: programs
 * wait for flags so. Puts under exclusive locks it only knows when they are complete (window_closed.c): they count as long as that
 * cannot have been heard of.
 *
 * As for buffers of pending operations (pending_buffers.h), what is read is compared with what it was, and what is changed is found
 * to be loaded by running a step again with other bytes there. Since the library itself looks at what windows hold, these are laid
 * when a call returns, and lifted by any call that synchronises a window, or waits. So are those in buffers of pending operations
 * that lie in a window. Windows whose memory others load from are left out. */
#ifndef MODELS_MPI_PRELOAD_OWN_ACCESSES_H
#define MODELS_MPI_PRELOAD_OWN_ACCESSES_H

#include "models/mpi/preload/buffers/pending_buffers.h"
#include "models/mpi/preload/windows/windows.h"

/* An access to this process's own window was issued. `request`: the number of that which completes it, OWN_ACCESS_OF_EPOCH: none.
 * Ends the rank if a pending operation owns what the access needs. */
#define OWN_ACCESS_OF_EPOCH UINT32_MAX
void own_accesses_add(const struct caller *caller, const struct window *window, const struct access *access, uint32_t request);
/* Those of this process's own to this window are complete; `at_origin`: there only. */
void own_accesses_end(const struct window *window, bool at_origin);
/* From now on those of others are these, in a block of bytes. Ends the rank if a pending operation owns what one needs. */
void own_accesses_of_others(const struct window *window, const char *bytes, size_t size);
/* Since the window was looked at last others have changed it so. Ends the rank if a pending operation owns that. */
void own_accesses_of_changes(const struct window *window, const struct access *changes);
/* The window is no more. */
void own_accesses_forget(const struct window *window);

bool own_accesses_any(void);
/* Ends the rank if one needs what an operation with these buffers needs. */
void own_accesses_require_free(const struct caller *caller, const struct buffers *buffers);

/* The program goes on. Since then, does it still? */
void own_accesses_lay(void);
bool own_accesses_are_laid(void);
/* For guarded_stores.h: is there anything that the program must not store to now? That is to be closed. It stores there. */
bool own_accesses_forbid(void);
void own_accesses_guard(void);
void own_accesses_guard_one(uint32_t number); /* as foreign_bytes.h numbers it */
void own_accesses_check_store(uintptr_t from, uintptr_t to, const void *context);
/* The library looks at windows. Ends the rank if the program has touched what it must not. */
void own_accesses_lift(void);

#endif
