/* Entering and leaving a collective, and where its data lies in the program's buffers. A collective is one operation and one
 * blocking call:
 *
 *     collective_enter(caller, communicator, pattern, root, agreement, parts);
 *     collective_add_block(...)                                   `parts` times
 *     answer = collective_leave(caller, communicator);
 *     collective_part(answer, member)                             what that member gave
 */
#ifndef MODELS_MPI_PRELOAD_COLLECTIVE_DATA_H
#define MODELS_MPI_PRELOAD_COLLECTIVE_DATA_H

#include "models/mpi/preload/caller.h"
#include "models/mpi/preload/communicators.h"
#include "models/mpi/protocol.h"

#include <stddef.h>

#define COLLECTIVE_NO_ROOT (-1)

/* `root` is a rank of the communicator. `parts` is 0, 1 or the size of the communicator. */
void collective_enter(const struct caller *caller, const struct communicator *communicator, enum wire_pattern pattern,
                      int root, uint64_t agreement, int parts);
const struct wire_resolution *collective_leave(const struct caller *caller, const struct communicator *communicator);

/* What members must agree on: a number of bytes, and an operator if it is predefined (a user's has another handle on each
 * rank). MPI_OP_NULL: none. */
uint64_t collective_agreement(uint64_t bytes, MPI_Op op);
/* The same for `count` elements, whose type signature must agree. */
uint64_t collective_agreement_typed(int count, MPI_Datatype type, MPI_Op op);
/* The same for a list of counts. */
uint64_t collective_agreement_counts(const int *counts, int n, MPI_Datatype type, MPI_Op op);

struct collective_part {
    const void *bytes;
    size_t size;
};

/* What a member gave us; empty if this rank gets nothing from it. */
struct collective_part collective_part(const struct wire_resolution *answer, int member);

/* Data for or from one member. */
struct block {
    void *buffer;
    int count;
    MPI_Datatype type;
};

/* One block for each member, in the ways that MPI has of saying so. */
struct blocks {
    void *base;
    int count; /* of each block */
    MPI_Datatype type;
    const int *counts;         /* instead of `count` (v- and w-variants) */
    const int *displacements;  /* with `counts`: in elements; with `types`: in bytes */
    const MPI_Datatype *types; /* instead of `type` (w-variants) */
};

struct block block_of(const struct blocks *blocks, int member);
uint64_t block_size(const struct block *block);
int check_block(const struct caller *caller, const struct communicator *communicator, const struct block *block);
int check_blocks(const struct caller *caller, const struct communicator *communicator, const struct blocks *blocks);

void collective_add_block(const struct block *block);
void collective_add_blocks(const struct communicator *communicator, const struct blocks *blocks);
/* Unpacks what `member` gave; more than fits ends the rank. */
void collective_take_block(const struct caller *caller, const struct communicator *communicator,
                           const struct wire_resolution *answer, int member, const struct block *block);
void collective_take_blocks(const struct caller *caller, const struct communicator *communicator,
                            const struct wire_resolution *answer, const struct blocks *blocks);

#endif
