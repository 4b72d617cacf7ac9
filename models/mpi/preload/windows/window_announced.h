/* Does what the owner of a window reads in an epoch of fences or of post come before what others change there (MPI-3.1 section
 * 11.7)? If the owner has said something since it read, and who made the access has heard something, be it that or not,
 * window_told.h and window_exposure.h cannot tell. The access comes after the read just if it cannot be made before the owner
 * says its next word.
 *
 * So, once this matters, the explorer starts over with ranks that announce such accesses (AGENTS_ANNOUNCING) when they make
 * them, by a message of the library's own to the owner. Before the owner says anything it looks whether one has come, and may
 * miss it each time, as with MPI_Iprobe. If one has, the access was made without the word that is about to be said. Nothing
 * then puts it behind what the owner has read since its last word; and it goes on until the epoch ends.
 *
 * Not in programs with shared windows, by which ranks may say things without any call. */
#ifndef MODELS_MPI_PRELOAD_WINDOW_ANNOUNCED_H
#define MODELS_MPI_PRELOAD_WINDOW_ANNOUNCED_H

#include "models/mpi/preload/windows/windows.h"

/* An epoch of a window has brought an access of which the process cannot tell whether it came after what it has read before it said
 * something. AGENTS(…) of ranks that can; 0: there are none, or these can. */
int announced_agents_wanted(const struct window *window);
/* So it is with something that it has sent: ends the rank if the explorer has to start over with those. */
void announced_require(const struct window *window);

/* The last access that was issued to `target`: its owner is told, if what has been heard matters. */
void announced_issue(const struct caller *caller, struct window *window, int target);
/* Is that what the operation does? It says nothing to the program. */
bool announced_by(const struct wire_operation *operation);
/* The program is about to issue an operation. */
void announced_look(const struct wire_operation *operation);

/* MPI_Win_start has begun an epoch with this target; MPI_Win_post with this origin. */
void announced_start(struct window *window, int target);
void announced_post(struct window *window, int origin);
/* An epoch of this window as a target has ended that brought these accesses, which are as their origins made them: what is left of
 * their announcements comes. */
void announced_end(const struct caller *caller, struct window *window, const char *batch, size_t size);

#endif
