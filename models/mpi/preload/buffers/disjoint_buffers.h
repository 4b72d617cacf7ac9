/* Buffers that MPI wants apart: what a call sends must not lie where it receives (MPI-3.1 sections 2.3, 3.10 and chapter 5). */
#ifndef MODELS_MPI_PRELOAD_DISJOINT_BUFFERS_H
#define MODELS_MPI_PRELOAD_DISJOINT_BUFFERS_H

#include "models/mpi/preload/collectives/collective_data.h"
#include "models/mpi/preload/communicators/topology.h"

/* Returns as the checks of arguments.h do. Blocks of derived types may lie between each other, as long as
 * they have no byte in common. */
int check_disjoint(const struct caller *caller, const struct communicator *communicator, const struct blocks *given,
                   int given_blocks, const struct blocks *taken, int taken_blocks);
int check_disjoint_block(const struct caller *caller, const struct communicator *communicator, const struct block *given,
                         const struct blocks *taken, int taken_blocks);
/* The same of blocks for neighbours: nothing goes to MPI_PROC_NULL, or comes from it. */
int check_disjoint_edges(const struct caller *caller, const struct communicator *communicator, const struct blocks *given,
                         const struct neighbours *destinations, const struct blocks *taken, const struct neighbours *sources);
int check_disjoint_gathered(const struct caller *caller, const struct communicator *communicator, const struct block *given,
                            const struct neighbours *destinations, const struct blocks *taken,
                            const struct neighbours *sources);
/* No place may be written twice (sections 4.1.11, 5.5): neither by one block nor by two.
 * `from`: whom each block comes from, nothing if that is MPI_PROC_NULL. NULL: all come. */
int check_blocks_apart(const struct caller *caller, const struct communicator *communicator, const struct blocks *taken,
                       int taken_blocks, const int *from);
/* One block that is received. */
int check_received(const struct caller *caller, const struct communicator *communicator, const struct block *taken);
/* Have elements of a buffer bytes in common? Two elements show what more would. */
bool elements_overlap(const void *buffer, MPI_Count count, MPI_Datatype type);
/* Have two buffers, without saying so to the program? */
bool blocks_overlap(const struct block *one, const struct block *other);

#endif
