/* Where blocks of memory lie that the program allocates after it has received a message, and keeps.
 *
 * Usually as low as they can (allocator.c). Of a rank that keeps a block for each message that it receives from anybody, those that
 * came earlier then lie lower, so that for each order in which the messages may come there is a local state, whatever the program
 * makes of them. In ranks that place blocks (VARIANT_PLACES_BLOCKS) a hash of the message says where they lie, also if it was only
 * probed, so that it matters no more what came before, but where two messages say the same place.
 *
 * Both are places where an allocator may put them, and either is a function of the local state. Which one leaves fewer states depends on
 * the program, so the explorer tries, if any rank has kept a block that it had allocated after a message. */
#ifndef MODELS_MPI_PRELOAD_PLACED_BLOCKS_H
#define MODELS_MPI_PRELOAD_PLACED_BLOCKS_H

#include "models/mpi/protocol.h"

#include <stdbool.h>

/* The rank is about to block in a call for these requests. True: it has kept a block, as far as the next message is concerned. */
bool placed_blocks_wait(const struct wire_call *call, const uint32_t *request);
/* ... and has been answered. */
void placed_blocks_answered(const struct wire_resolution *answer);
/* A copy of an answer that the rank keeps: it says no more what a message is that was only probed. */
void placed_blocks_forget(struct wire_resolution *answer);

#endif
