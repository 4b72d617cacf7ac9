/* Does the owner of a window read what others change in the same epoch of fences or of post (MPI-3.1 section 11.7)? Such
 * accesses are only known when the epoch is over, so the step that ends it names the bytes (struct mailbox, `others`), and the
 * explorer runs the step before it again with other bytes there (`asked`). These are put in where the program goes on within
 * the epoch, and taken out where it ends it or blocks. What the owner reads before it says something to others may come before
 * their accesses: such a step says so (ASKED_TOLD), and only what it reads after it has said something last is judged, unless
 * these were made by who had heard nothing since the epoch began but of barriers (`since`). Then all steps of the epoch are,
 * from the last of these on. That it reads anything else before it says something is only found (`suspects`), for
 * window_announced.h to judge.
 *
 * Does the owner store to it, which shows only if that changes something? What it stores in the usual run of a step is seen by
 * closing the memory to stores meanwhile (`closes`, guarded_stores.h). In epochs of fences and of post that is a conflict
 * whatever anybody has heard.
 *
 * So it is with puts under locks, of which the owner hears when it asks its agent: what it has loaded after its own last word
 * and since it asked last was loaded at the same time. */
#ifndef MODELS_MPI_PRELOAD_WINDOW_EXPOSURE_H
#define MODELS_MPI_PRELOAD_WINDOW_EXPOSURE_H

#include "ckpt/channel.h"
#include "models/mpi/preload/windows/windows.h"

/* Ends the rank if they, or its own stores, are what it has asserted not to happen: MPI_MODE_NOPUT where the epoch began,
 * MPI_MODE_NOSTORE in the fence that ends it. */
void exposure_check_asserts(const struct caller *caller, const struct window *window, int ending, const char *batch,
                            size_t size);

/* The accesses that an epoch of this window brought, which are all there. */
void exposure_note(struct window *window, const char *batch, size_t size);
/* Accesses of others under locks that the rank has just learned of, which reached its window after it had learned of such last.
 * Those of the phase (window_told.h) that it is in, or leaves, cannot have come after what it has loaded since it said
 * something to others last, as which entering the barrier that ends the phase does not count. Their accumulates may be loaded
 * meanwhile. */
void exposure_note_locked(struct window *window, const char *puts, size_t size);
/* The same of accesses to `member` of a shared window, whoever that is. */
void exposure_note_member(const struct window *window, int member, const char *batch, size_t size);
/* Memory of a shared window that others stored to while the program last ran, which was in one step. `exact`: after it had said all
 * that it said before. */
void exposure_note_shared(const struct window *window, const struct access *changes, bool exact);

/* An epoch begins, of which nobody can have heard before. */
void exposure_begun(const struct window *window);
/* The program goes on after this call. */
void exposure_cover(uint16_t function);
/* ... having left the library: here begins what is asked only once something has been said, or after so many barriers. */
void exposure_cover_told(void);
/* The same, with nothing of the call left to be done: here begins what is asked of shared windows. */
void exposure_cover_shared(void);
/* The program is about to wait, or to end the epoch. */
void exposure_uncover(void);
/* For guarded_stores.h: is anything asked about that the program must not store to now? That is to be closed. It stores there. */
bool exposure_forbids(void);
void exposure_guard(void);
void exposure_check_store(uintptr_t from, uintptr_t to, const void *context);
/* The rank issues an operation. */
void exposure_issued(const struct wire_operation *operation);

#endif
