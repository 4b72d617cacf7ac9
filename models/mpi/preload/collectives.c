/* Collectives that move data: barrier, broadcast, gather, scatter, allgather, alltoall. Each is one operation of the
 * network, never a pattern of messages. */
#include "models/mpi/preload/arguments.h"
#include "models/mpi/preload/collective_data.h"
#include "models/mpi/preload/rank.h"

EXPORT(Barrier)
int MPI_Barrier(MPI_Comm handle)
{
    ENTER(Barrier, handle);
    struct communicator *communicator;
    int error = check_communicator(caller, handle, &communicator);
    if (error != MPI_SUCCESS)
        return error;
    collective_enter(caller, communicator, WIRE_ALL_TO_ALL, COLLECTIVE_NO_ROOT, 0, 0);
    collective_leave(caller, communicator);
    return MPI_SUCCESS;
}

static int check_rooted(const struct caller *caller, MPI_Comm handle, int root, struct communicator **communicator)
{
    int error = check_communicator(caller, handle, communicator);
    return error == MPI_SUCCESS ? check_root(caller, *communicator, root) : error;
}

EXPORT(Bcast)
int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm handle)
{
    ENTER(Bcast, buffer, count, type, root, handle);
    struct communicator *communicator;
    struct block block = {buffer, count, type};
    int error = check_rooted(caller, handle, root, &communicator);
    if (error == MPI_SUCCESS)
        error = check_block(caller, communicator, &block);
    if (error != MPI_SUCCESS)
        return error;
    bool is_root = communicator->rank == root;
    uint64_t agreement = collective_agreement_typed(block.count, block.type, MPI_OP_NULL);
    collective_enter(caller, communicator, WIRE_FAN_OUT, root, agreement, is_root ? 1 : 0);
    if (is_root)
        collective_add_block(&block);
    const struct wire_resolution *answer = collective_leave(caller, communicator);
    if (!is_root)
        collective_take_block(caller, communicator, answer, root, &block);
    return MPI_SUCCESS;
}

/* Members agree on the size and the types of blocks that are all alike; in v- and w-variants it may differ from pair to pair. */
static uint64_t agreement_on(const struct blocks *blocks)
{
    if (blocks->counts != NULL)
        return 0;
    return collective_agreement_typed(blocks->count, blocks->type, MPI_OP_NULL);
}

/* The same where only the root has all blocks, and the others one of them. */
static uint64_t rooted_agreement(bool is_root, const struct blocks *blocks, const struct block *block, bool varying)
{
    if (varying)
        return 0;
    return is_root ? agreement_on(blocks) : collective_agreement_typed(block->count, block->type, MPI_OP_NULL);
}

/* An in-place root gives an empty part, so that its own block stays where it is. */
static int gather(const struct caller *caller, MPI_Comm handle, int root, const struct block *given,
                  const struct blocks *taken, bool varying)
{
    struct communicator *communicator;
    int error = check_rooted(caller, handle, root, &communicator);
    if (error != MPI_SUCCESS)
        return error;
    bool is_root = communicator->rank == root;
    bool in_place = is_root && given->buffer == MPI_IN_PLACE;
    if (!in_place)
        error = check_block(caller, communicator, given);
    if (error == MPI_SUCCESS && is_root)
        error = check_blocks(caller, communicator, taken);
    if (error != MPI_SUCCESS)
        return error;
    uint64_t agreement = rooted_agreement(is_root, taken, given, varying);
    collective_enter(caller, communicator, WIRE_FAN_IN, root, agreement, 1);
    struct block nothing = {NULL, 0, MPI_BYTE};
    collective_add_block(in_place ? &nothing : given);
    const struct wire_resolution *answer = collective_leave(caller, communicator);
    if (is_root)
        collective_take_blocks(caller, communicator, answer, taken);
    return MPI_SUCCESS;
}

EXPORT(Gather)
int MPI_Gather(const void *send_buffer, int send_count, MPI_Datatype send_type, void *receive_buffer, int receive_count,
               MPI_Datatype receive_type, int root, MPI_Comm communicator)
{
    ENTER(Gather, send_buffer, send_count, send_type, receive_buffer, receive_count, receive_type, root, communicator);
    struct block given = {(void *)send_buffer, send_count, send_type};
    struct blocks taken = {.base = receive_buffer, .count = receive_count, .type = receive_type};
    return gather(caller, communicator, root, &given, &taken, false);
}

EXPORT(Gatherv)
int MPI_Gatherv(const void *send_buffer, int send_count, MPI_Datatype send_type, void *receive_buffer,
                const int receive_counts[], const int displacements[], MPI_Datatype receive_type, int root,
                MPI_Comm communicator)
{
    ENTER(Gatherv, send_buffer, send_count, send_type, receive_buffer, receive_counts, displacements, receive_type, root,
          communicator);
    struct block given = {(void *)send_buffer, send_count, send_type};
    struct blocks taken = {.base = receive_buffer, .counts = receive_counts, .displacements = displacements,
                           .type = receive_type};
    return gather(caller, communicator, root, &given, &taken, true);
}

static int scatter(const struct caller *caller, MPI_Comm handle, int root, const struct blocks *given,
                   const struct block *taken, bool varying)
{
    struct communicator *communicator;
    int error = check_rooted(caller, handle, root, &communicator);
    if (error != MPI_SUCCESS)
        return error;
    bool is_root = communicator->rank == root;
    bool in_place = is_root && taken->buffer == MPI_IN_PLACE;
    if (!in_place)
        error = check_block(caller, communicator, taken);
    if (error == MPI_SUCCESS && is_root)
        error = check_blocks(caller, communicator, given);
    if (error != MPI_SUCCESS)
        return error;
    uint64_t agreement = rooted_agreement(is_root, given, taken, varying);
    collective_enter(caller, communicator, WIRE_FAN_OUT, root, agreement, is_root ? communicator->size : 0);
    if (is_root)
        collective_add_blocks(communicator, given);
    const struct wire_resolution *answer = collective_leave(caller, communicator);
    if (!in_place)
        collective_take_block(caller, communicator, answer, root, taken);
    return MPI_SUCCESS;
}

EXPORT(Scatter)
int MPI_Scatter(const void *send_buffer, int send_count, MPI_Datatype send_type, void *receive_buffer, int receive_count,
                MPI_Datatype receive_type, int root, MPI_Comm communicator)
{
    ENTER(Scatter, send_buffer, send_count, send_type, receive_buffer, receive_count, receive_type, root, communicator);
    struct blocks given = {.base = (void *)send_buffer, .count = send_count, .type = send_type};
    struct block taken = {receive_buffer, receive_count, receive_type};
    return scatter(caller, communicator, root, &given, &taken, false);
}

EXPORT(Scatterv)
int MPI_Scatterv(const void *send_buffer, const int send_counts[], const int displacements[], MPI_Datatype send_type,
                 void *receive_buffer, int receive_count, MPI_Datatype receive_type, int root, MPI_Comm communicator)
{
    ENTER(Scatterv, send_buffer, send_counts, displacements, send_type, receive_buffer, receive_count, receive_type, root,
          communicator);
    struct blocks given = {.base = (void *)send_buffer, .counts = send_counts, .displacements = displacements,
                           .type = send_type};
    struct block taken = {receive_buffer, receive_count, receive_type};
    return scatter(caller, communicator, root, &given, &taken, true);
}

static int allgather(const struct caller *caller, MPI_Comm handle, const struct block *given, const struct blocks *taken)
{
    struct communicator *communicator;
    int error = check_communicator(caller, handle, &communicator);
    bool in_place = given->buffer == MPI_IN_PLACE;
    if (error == MPI_SUCCESS && !in_place)
        error = check_block(caller, communicator, given);
    if (error == MPI_SUCCESS)
        error = check_blocks(caller, communicator, taken);
    if (error != MPI_SUCCESS)
        return error;
    collective_enter(caller, communicator, WIRE_ALL_TO_ALL, COLLECTIVE_NO_ROOT, agreement_on(taken), 1);
    struct block own = in_place ? block_of(taken, communicator->rank) : *given;
    collective_add_block(&own);
    const struct wire_resolution *answer = collective_leave(caller, communicator);
    collective_take_blocks(caller, communicator, answer, taken);
    return MPI_SUCCESS;
}

EXPORT(Allgather)
int MPI_Allgather(const void *send_buffer, int send_count, MPI_Datatype send_type, void *receive_buffer, int receive_count,
                  MPI_Datatype receive_type, MPI_Comm communicator)
{
    ENTER(Allgather, send_buffer, send_count, send_type, receive_buffer, receive_count, receive_type, communicator);
    struct block given = {(void *)send_buffer, send_count, send_type};
    struct blocks taken = {.base = receive_buffer, .count = receive_count, .type = receive_type};
    return allgather(caller, communicator, &given, &taken);
}

EXPORT(Allgatherv)
int MPI_Allgatherv(const void *send_buffer, int send_count, MPI_Datatype send_type, void *receive_buffer,
                   const int receive_counts[], const int displacements[], MPI_Datatype receive_type, MPI_Comm communicator)
{
    ENTER(Allgatherv, send_buffer, send_count, send_type, receive_buffer, receive_counts, displacements, receive_type,
          communicator);
    struct block given = {(void *)send_buffer, send_count, send_type};
    struct blocks taken = {.base = receive_buffer, .counts = receive_counts, .displacements = displacements,
                           .type = receive_type};
    return allgather(caller, communicator, &given, &taken);
}

/* In place, the data to send lies where the data received will be. */
static int alltoall(const struct caller *caller, MPI_Comm handle, const struct blocks *given, const struct blocks *taken)
{
    struct communicator *communicator;
    int error = check_communicator(caller, handle, &communicator);
    bool in_place = given->base == MPI_IN_PLACE;
    if (error == MPI_SUCCESS && !in_place)
        error = check_blocks(caller, communicator, given);
    if (error == MPI_SUCCESS)
        error = check_blocks(caller, communicator, taken);
    if (error != MPI_SUCCESS)
        return error;
    collective_enter(caller, communicator, WIRE_ALL_TO_ALL, COLLECTIVE_NO_ROOT, agreement_on(taken),
                     communicator->size);
    collective_add_blocks(communicator, in_place ? taken : given);
    const struct wire_resolution *answer = collective_leave(caller, communicator);
    collective_take_blocks(caller, communicator, answer, taken);
    return MPI_SUCCESS;
}

EXPORT(Alltoall)
int MPI_Alltoall(const void *send_buffer, int send_count, MPI_Datatype send_type, void *receive_buffer, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm communicator)
{
    ENTER(Alltoall, send_buffer, send_count, send_type, receive_buffer, receive_count, receive_type, communicator);
    struct blocks given = {.base = (void *)send_buffer, .count = send_count, .type = send_type};
    struct blocks taken = {.base = receive_buffer, .count = receive_count, .type = receive_type};
    return alltoall(caller, communicator, &given, &taken);
}

EXPORT(Alltoallv)
int MPI_Alltoallv(const void *send_buffer, const int send_counts[], const int send_displacements[], MPI_Datatype send_type,
                  void *receive_buffer, const int receive_counts[], const int receive_displacements[],
                  MPI_Datatype receive_type, MPI_Comm communicator)
{
    ENTER(Alltoallv, send_buffer, send_counts, send_displacements, send_type, receive_buffer, receive_counts,
          receive_displacements, receive_type, communicator);
    struct blocks given = {.base = (void *)send_buffer, .counts = send_counts, .displacements = send_displacements,
                           .type = send_type};
    struct blocks taken = {.base = receive_buffer, .counts = receive_counts, .displacements = receive_displacements,
                           .type = receive_type};
    return alltoall(caller, communicator, &given, &taken);
}

EXPORT(Alltoallw)
int MPI_Alltoallw(const void *send_buffer, const int send_counts[], const int send_displacements[],
                  const MPI_Datatype send_types[], void *receive_buffer, const int receive_counts[],
                  const int receive_displacements[], const MPI_Datatype receive_types[], MPI_Comm communicator)
{
    ENTER(Alltoallw, send_buffer, send_counts, send_displacements, send_types, receive_buffer, receive_counts,
          receive_displacements, receive_types, communicator);
    struct blocks given = {.base = (void *)send_buffer, .counts = send_counts, .displacements = send_displacements,
                           .types = send_types};
    struct blocks taken = {.base = receive_buffer, .counts = receive_counts, .displacements = receive_displacements,
                           .types = receive_types};
    return alltoall(caller, communicator, &given, &taken);
}
