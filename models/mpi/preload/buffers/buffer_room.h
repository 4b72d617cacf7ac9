/* Is there as much memory as a call reads or writes: what is sent, what a collective brings, and what a receive got, which may
 * be less than its count; and as it takes over: a window's, and a buffer for messages? Of a heap block the allocator knows, of
 * a variable of static storage the symbol tables; of one on the stack it is known where its function's frame ends. */
#ifndef MODELS_MPI_PRELOAD_BUFFER_ROOM_H
#define MODELS_MPI_PRELOAD_BUFFER_ROOM_H

#include "models/mpi/preload/collectives/collective_data.h"
#include "models/mpi/preload/communicators/topology.h"

/* Ends the rank if a buffer begins in a block of the heap, a static variable or a stack frame, and goes on behind its end, whatever
 * the error handler: real MPI does not notice. Buffers with gaps may have their pieces in several objects. They are held to this if
 * the gaps are numbers of elements, or if the first element of several is in the one object. */
void require_room(const struct caller *caller, const void *buffer, MPI_Count count, MPI_Datatype type);
void require_room_for(const struct caller *caller, const void *buffer, uint64_t bytes, MPI_Datatype type);
/* ... of an array that a call reads or sets, such as one of statuses, which is on no stack. */
void require_room_of_array(const struct caller *caller, const void *array, uint64_t bytes, const char *what);
/* Is there as much, as far as is known? */
bool has_room(const void *buffer, uint64_t bytes);
void require_room_of_blocks(const struct caller *caller, const struct blocks *blocks, int n);
/* A block for each neighbour; nothing goes to MPI_PROC_NULL, or comes from it. */
void require_room_of_edges(const struct caller *caller, const struct blocks *blocks, const struct neighbours *neighbours);

#endif
