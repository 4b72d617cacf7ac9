/* What others may have changed in a window of this process since it looked last, which it does not look at before it matters:
 * mostly the program does nothing with its own window for long, and then what it holds meanwhile would only tell states apart.
 *
 * Where this process learns something of others the program may see what they changed there. It is put off: the window is *unseen*.
 * A step with an unseen window is run again (struct mailbox, `of_unseen`), with other bytes in it, and with its memory
 * closed to the program, which is stopped at its first access (shared_traps.h). If the program touches it, or calls something that
 * uses this memory, the explorer has the step done once more with `looks` in its answer: then the process looks where the program
 * goes on before it touches one. That it touches nothing in a step is thus known for sure; what MPI functions copy out of there shows by the other
 * bytes. Not known is what callbacks of the program compute with it while an MPI function runs.
 *
 * What others do meanwhile to other bytes of the window may come before the look or after it, which is the same and need not be two
 * orders. So the step is run once more, as it is, to note which bytes the program touches there (UNSEEN_TOUCHES), and if these
 * are few ranges the process looks at them only: the rest stays unseen, and what the program does next is run again for its sake. If
 * that touches more, it looks at that, too, at all of it at one time. */
#ifndef MODELS_MPI_PRELOAD_WINDOW_UNSEEN_H
#define MODELS_MPI_PRELOAD_WINDOW_UNSEEN_H

#include "models/mpi/preload/buffers/pending_buffers.h"
#include "models/mpi/preload/windows/windows.h"

/* The window need not be looked at as long as the program does not touch it. False: it must be looked at now.
 *
 * If the program has touched it since it was looked at, it is only asked which accesses of others there are when the process
 * learns something next: what they have put meanwhile cannot have been heard of (exposure_note_locked). If it has touched it
 * again and again, the window is looked at each time, and unseen all the same, though up to date, so that it is known whether
 * that goes on. */
bool unseen_put_off(struct window *window);
bool unseen_may_put_off(const struct window *window);
/* Has only some of it been looked at? */
bool unseen_in_part(const struct window *window);
/* All of it has been. */
void unseen_note_looked(struct window *window);

/* Is any window unseen? */
bool unseen_any(void);
/* The program goes on, after a call. */
void unseen_go_on(void);
/* The program touches one, who knows where; these bytes of it. False: that is enough to know of this execution. */
void unseen_note_touched(void);
bool unseen_touch(uintptr_t from, uintptr_t to);
/* Some of its memory is the window's no longer, and the program's alone. */
void unseen_note_gone(const struct window *window);
/* Does it look now? That is no call of the program. */
bool unseen_looks(void);
/* The same, at last: the memory is closed, if that is what the step is run for. */
void unseen_close(void);
/* A call begins: it is open. */
void unseen_open(uint16_t function);
/* Other bytes are laid there, and lifted. */
void unseen_lay(void);
void unseen_lift(void);

/* The program uses these buffers in a call; gives a call an array of what only is or is not 0, which other bytes do not tell; has
 * stored something in a window. */
void unseen_note_use(const struct buffers *buffers);
void unseen_note_array(const void *array, int elements, size_t size);
void unseen_note_stores(const struct window *window, const struct access *stores);
/* A call is going to set these statuses (MPI_STATUSES_IGNORE: none) once it is answered: windows in which they lie are looked
 * at then, before that. */
void unseen_note_statuses(const MPI_Status statuses[], int count);
/* It calls a function that MPICH does, which computes with what is in its memory. */
void unseen_note_computation(uint16_t function);

#endif
