/* What is left of an earlier message in a receive's buffer, of an earlier access in that which the next one fetches into, and of an
 * earlier call in a status, when a rank waits for what will overwrite it. Nobody can tell, so it can be forgotten: local states that differ in nothing else are one then. A receiver that
 * goes round a loop has a state for each set of messages that it has had, and not one more for each that may have been the
 * last.
 *
 * A message shorter than the buffer leaves the rest as it was. That a rank does not know before, so if what it has forgotten
 * turns out to be needed, the explorer starts over, and receives of this call site keep what they have (VARIANT_FORGETS). */
#ifndef MODELS_MPI_PRELOAD_LEFTOVERS_H
#define MODELS_MPI_PRELOAD_LEFTOVERS_H

#include "models/mpi/preload/point_to_point/request_table.h"

/* The rank is about to block in a call for these requests (numbers, as rank_block has them): zeroes what its receives will
 * overwrite, and of others that are pending what the program does not look at before (pending_leftovers.h). Nothing of the
 * program's may run before the answer is taken. */
void leftovers_forget(const struct wire_call *call, const uint32_t *request);
/* The same in the middle of a call that completes accesses to windows: what these fetch into. */
void leftovers_forget_results(void);
/* The same for statuses that the call will set, `count` of them; they may be to be ignored. MPI_ERROR stays. */
void leftovers_forget_statuses(MPI_Status statuses[], int count);
/* The same for a number that the call will set whatever the answer is. */
void leftovers_forget_number(int *number);
/* The answer for a request: ends the rank if it does not overwrite all that was forgotten. */
void leftovers_overwrite(struct request *request, const struct wire_completion *completion);
/* Nobody will wait for the request: ends the rank if something was forgotten. */
void leftovers_let_go(struct request *request);
/* Is anything forgotten in this search? */
bool leftovers_any_forgotten(void);
/* Do receives of the call site keep what they have, at least in this way? */
bool leftovers_kept(uint64_t site, enum kept_how how);

#endif
