/* What is brought into this process's window in an epoch of fences or of post by messages and collectives. It is a store of the
 * owner's, which nobody else may access in that epoch (MPI-3.1 section 11.7), also if it leaves memory as it was: what others
 * put there at the same time may come before it or after it. */
#ifndef MODELS_MPI_PRELOAD_WINDOW_RECEIVED_H
#define MODELS_MPI_PRELOAD_WINDOW_RECEIVED_H

#include "models/mpi/preload/real.h"
#include "models/mpi/preload/windows/windows.h"

#include <stddef.h>

/* The first `size` bytes of a message are in the buffer. */
void windows_note_received(const void *buffer, MPI_Datatype type, size_t size);

#endif
