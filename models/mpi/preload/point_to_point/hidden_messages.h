/* Messages of the library's own, to and from agents and between the members of a window. They are buffered, so sending one never
 * waits, and what receives them is numbered apart from the program's requests. */
#ifndef MODELS_MPI_PRELOAD_HIDDEN_MESSAGES_H
#define MODELS_MPI_PRELOAD_HIDDEN_MESSAGES_H

#include "models/mpi/preload/caller.h"

#include <stddef.h>
#include <stdint.h>

/* Sends `size` bytes, to be written to the place returned before anything else is issued. `caller`: the program's call that it is
 * for; NULL for an agent, which has none. `peer` is a rank in MPI_COMM_WORLD, or an agent's number. */
void *hidden_send(const struct caller *caller, uint64_t context, int peer, int tag, size_t size);
/* The same for a request to an agent; `touches`: the name of what it touches (window_touches.h), 0: that is not known. */
void *hidden_request(const struct caller *caller, int agent, int tag, uint64_t touches, size_t size);
/* Begins to receive one of any size. The number of its request, to be released when it is complete or freed. */
uint32_t hidden_receive(const struct caller *caller, uint64_t context, int peer, int tag);

/* A number for a request of the library's own. */
uint32_t hidden_request_take(void);
void hidden_request_release(uint32_t request);

#endif
