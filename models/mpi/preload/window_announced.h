/* Whether what the owner of a window reads in an epoch of fences or of post comes before what others change there (MPI-3.1 section
 * 11.7), if the owner has said something to anybody since it read, and who made the access has heard something, maybe of that:
 * then window_told.h and window_exposure.h cannot tell. An access comes after what the owner read before it said its n-th word just
 * if it cannot be made before that word is said. So, once this matters, the explorer starts over with ranks that announce their
 * accesses (AGENTS_ANNOUNCING): a message of the library's own to the owner, when the access is made, of which nobody else hears.
 * Before the owner says anything, it looks whether one has come, and may miss it each time, as with MPI_Iprobe. If one has, the
 * access has been made without the word about to be said. What the owner has read since the word before the access cannot have heard
 * of either, so nothing orders the two, and the access is in progress until the epoch ends.
 *
 * Not in programs with shared windows, by which ranks may say things without any call. */
#ifndef MODELS_MPI_PRELOAD_WINDOW_ANNOUNCED_H
#define MODELS_MPI_PRELOAD_WINDOW_ANNOUNCED_H

#include "models/mpi/preload/windows.h"

/* An epoch of a window has brought an access of which the process cannot tell whether it came after what it has read before it said
 * something. AGENTS(…) of ranks that can; 0: there are none, or these can. */
int announced_agents_wanted(const struct window *window);
/* As far as it has sent that, which these bytes are: does the explorer have to start over? */
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
