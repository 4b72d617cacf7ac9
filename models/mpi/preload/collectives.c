/* Collectives that move data: barrier, broadcast, gather, scatter, allgather, alltoall. Each is one operation of the
 * network, never a pattern of messages. */
#include "models/mpi/preload/arguments.h"
#include "models/mpi/preload/collective_data.h"
#include "models/mpi/preload/data.h"
#include "models/mpi/preload/rank.h"

COLLECTIVE(Barrier, Ibarrier, (MPI_Comm handle), (handle))
{
    struct collective collective = collective_of_all(caller, NULL);
    collective.request = request;
    int error = check_communicator(caller, handle, &collective.communicator);
    if (error != MPI_SUCCESS)
        return error;
    collective_enter(&collective, 0);
    collective_finish(&collective);
    return MPI_SUCCESS;
}

static int check_rooted(const struct caller *caller, MPI_Comm handle, int root, struct communicator **communicator)
{
    int error = check_communicator(caller, handle, communicator);
    return error == MPI_SUCCESS ? check_root(caller, *communicator, root) : error;
}

COLLECTIVE(Bcast, Ibcast, (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm handle),
           (buffer, count, type, root, handle))
{
    struct collective collective = {.caller = *caller, .pattern = WIRE_FAN_OUT, .root = root, .request = request};
    struct block block = {buffer, count, type};
    int error = check_rooted(caller, handle, root, &collective.communicator);
    if (error == MPI_SUCCESS)
        error = check_block(caller, collective.communicator, &block);
    if (error != MPI_SUCCESS)
        return error;
    bool is_root = collective.communicator->rank == root;
    collective.agreement = collective_agreement(block_size(&block), MPI_OP_NULL);
    if (!is_root) {
        collective.take = collective_take_block;
        collective.block = block;
    }
    collective_enter(&collective, is_root ? 1 : 0);
    if (is_root)
        collective_add_block(&block);
    collective_finish(&collective);
    return MPI_SUCCESS;
}

/* Members agree on the size of blocks that are all alike; in v- and w-variants it may differ from pair to pair. */
static uint64_t agreement_on(const struct blocks *blocks)
{
    if (blocks->counts != NULL)
        return 0;
    return collective_agreement((uint64_t)blocks->count * data_size(blocks->type), MPI_OP_NULL);
}

/* The same where only the root has all blocks, and the others one of them. */
static uint64_t rooted_agreement(bool is_root, const struct blocks *blocks, const struct block *block, bool varying)
{
    if (varying)
        return 0;
    return is_root ? agreement_on(blocks) : collective_agreement(block_size(block), MPI_OP_NULL);
}

/* An in-place root gives an empty part, so that its own block stays where it is. */
static int gather(const struct caller *caller, MPI_Comm handle, int root, const struct block *given,
                  const struct blocks *taken, bool varying, MPI_Request *request)
{
    struct collective collective = {.caller = *caller, .pattern = WIRE_FAN_IN, .root = root, .request = request};
    int error = check_rooted(caller, handle, root, &collective.communicator);
    if (error != MPI_SUCCESS)
        return error;
    const struct communicator *communicator = collective.communicator;
    bool is_root = communicator->rank == root;
    bool in_place = is_root && given->buffer == MPI_IN_PLACE;
    if (!in_place)
        error = check_block(caller, communicator, given);
    if (error == MPI_SUCCESS && is_root)
        error = check_blocks(caller, communicator, taken);
    if (error != MPI_SUCCESS)
        return error;
    collective.agreement = rooted_agreement(is_root, taken, given, varying);
    if (is_root) {
        collective.take = collective_take_blocks;
        collective.blocks = *taken;
    }
    struct block nothing = {NULL, 0, MPI_BYTE};
    collective_enter(&collective, 1);
    collective_add_block(in_place ? &nothing : given);
    collective_finish(&collective);
    return MPI_SUCCESS;
}

COLLECTIVE(Gather, Igather,
           (const void *send_buffer, int send_count, MPI_Datatype send_type, void *receive_buffer, int receive_count,
            MPI_Datatype receive_type, int root, MPI_Comm handle),
           (send_buffer, send_count, send_type, receive_buffer, receive_count, receive_type, root, handle))
{
    struct block given = {(void *)send_buffer, send_count, send_type};
    struct blocks taken = {.base = receive_buffer, .count = receive_count, .type = receive_type};
    return gather(caller, handle, root, &given, &taken, false, request);
}

COLLECTIVE(Gatherv, Igatherv,
           (const void *send_buffer, int send_count, MPI_Datatype send_type, void *receive_buffer,
            const int receive_counts[], const int displacements[], MPI_Datatype receive_type, int root, MPI_Comm handle),
           (send_buffer, send_count, send_type, receive_buffer, receive_counts, displacements, receive_type, root, handle))
{
    struct block given = {(void *)send_buffer, send_count, send_type};
    struct blocks taken = {.base = receive_buffer, .counts = receive_counts, .displacements = displacements,
                           .type = receive_type};
    return gather(caller, handle, root, &given, &taken, true, request);
}

static int scatter(const struct caller *caller, MPI_Comm handle, int root, const struct blocks *given,
                   const struct block *taken, bool varying, MPI_Request *request)
{
    struct collective collective = {.caller = *caller, .pattern = WIRE_FAN_OUT, .root = root, .request = request};
    int error = check_rooted(caller, handle, root, &collective.communicator);
    if (error != MPI_SUCCESS)
        return error;
    const struct communicator *communicator = collective.communicator;
    bool is_root = communicator->rank == root;
    bool in_place = is_root && taken->buffer == MPI_IN_PLACE;
    if (!in_place)
        error = check_block(caller, communicator, taken);
    if (error == MPI_SUCCESS && is_root)
        error = check_blocks(caller, communicator, given);
    if (error != MPI_SUCCESS)
        return error;
    collective.agreement = rooted_agreement(is_root, given, taken, varying);
    if (!in_place) {
        collective.take = collective_take_block;
        collective.block = *taken;
    }
    collective_enter(&collective, is_root ? communicator->size : 0);
    if (is_root)
        collective_add_blocks(communicator, given);
    collective_finish(&collective);
    return MPI_SUCCESS;
}

COLLECTIVE(Scatter, Iscatter,
           (const void *send_buffer, int send_count, MPI_Datatype send_type, void *receive_buffer, int receive_count,
            MPI_Datatype receive_type, int root, MPI_Comm handle),
           (send_buffer, send_count, send_type, receive_buffer, receive_count, receive_type, root, handle))
{
    struct blocks given = {.base = (void *)send_buffer, .count = send_count, .type = send_type};
    struct block taken = {receive_buffer, receive_count, receive_type};
    return scatter(caller, handle, root, &given, &taken, false, request);
}

COLLECTIVE(Scatterv, Iscatterv,
           (const void *send_buffer, const int send_counts[], const int displacements[], MPI_Datatype send_type,
            void *receive_buffer, int receive_count, MPI_Datatype receive_type, int root, MPI_Comm handle),
           (send_buffer, send_counts, displacements, send_type, receive_buffer, receive_count, receive_type, root, handle))
{
    struct blocks given = {.base = (void *)send_buffer, .counts = send_counts, .displacements = displacements,
                           .type = send_type};
    struct block taken = {receive_buffer, receive_count, receive_type};
    return scatter(caller, handle, root, &given, &taken, true, request);
}

/* Everybody takes a block of everybody. */
static struct collective exchange(const struct caller *caller, struct communicator *communicator,
                                  const struct blocks *taken, MPI_Request *request)
{
    struct collective collective = collective_of_all(caller, communicator);
    collective.agreement = agreement_on(taken);
    collective.request = request;
    collective.take = collective_take_blocks;
    collective.blocks = *taken;
    return collective;
}

static int allgather(const struct caller *caller, MPI_Comm handle, const struct block *given, const struct blocks *taken,
                     MPI_Request *request)
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
    struct collective collective = exchange(caller, communicator, taken, request);
    struct block own = in_place ? block_of(taken, communicator->rank) : *given;
    collective_enter(&collective, 1);
    collective_add_block(&own);
    collective_finish(&collective);
    return MPI_SUCCESS;
}

COLLECTIVE(Allgather, Iallgather,
           (const void *send_buffer, int send_count, MPI_Datatype send_type, void *receive_buffer, int receive_count,
            MPI_Datatype receive_type, MPI_Comm handle),
           (send_buffer, send_count, send_type, receive_buffer, receive_count, receive_type, handle))
{
    struct block given = {(void *)send_buffer, send_count, send_type};
    struct blocks taken = {.base = receive_buffer, .count = receive_count, .type = receive_type};
    return allgather(caller, handle, &given, &taken, request);
}

COLLECTIVE(Allgatherv, Iallgatherv,
           (const void *send_buffer, int send_count, MPI_Datatype send_type, void *receive_buffer,
            const int receive_counts[], const int displacements[], MPI_Datatype receive_type, MPI_Comm handle),
           (send_buffer, send_count, send_type, receive_buffer, receive_counts, displacements, receive_type, handle))
{
    struct block given = {(void *)send_buffer, send_count, send_type};
    struct blocks taken = {.base = receive_buffer, .counts = receive_counts, .displacements = displacements,
                           .type = receive_type};
    return allgather(caller, handle, &given, &taken, request);
}

/* In place, the data to send lies where the data received will be. */
static int alltoall(const struct caller *caller, MPI_Comm handle, const struct blocks *given, const struct blocks *taken,
                    MPI_Request *request)
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
    struct collective collective = exchange(caller, communicator, taken, request);
    collective_enter(&collective, communicator->size);
    collective_add_blocks(communicator, in_place ? taken : given);
    collective_finish(&collective);
    return MPI_SUCCESS;
}

COLLECTIVE(Alltoall, Ialltoall,
           (const void *send_buffer, int send_count, MPI_Datatype send_type, void *receive_buffer, int receive_count,
            MPI_Datatype receive_type, MPI_Comm handle),
           (send_buffer, send_count, send_type, receive_buffer, receive_count, receive_type, handle))
{
    struct blocks given = {.base = (void *)send_buffer, .count = send_count, .type = send_type};
    struct blocks taken = {.base = receive_buffer, .count = receive_count, .type = receive_type};
    return alltoall(caller, handle, &given, &taken, request);
}

COLLECTIVE(Alltoallv, Ialltoallv,
           (const void *send_buffer, const int send_counts[], const int send_displacements[], MPI_Datatype send_type,
            void *receive_buffer, const int receive_counts[], const int receive_displacements[],
            MPI_Datatype receive_type, MPI_Comm handle),
           (send_buffer, send_counts, send_displacements, send_type, receive_buffer, receive_counts,
            receive_displacements, receive_type, handle))
{
    struct blocks given = {.base = (void *)send_buffer, .counts = send_counts, .displacements = send_displacements,
                           .type = send_type};
    struct blocks taken = {.base = receive_buffer, .counts = receive_counts, .displacements = receive_displacements,
                           .type = receive_type};
    return alltoall(caller, handle, &given, &taken, request);
}

COLLECTIVE(Alltoallw, Ialltoallw,
           (const void *send_buffer, const int send_counts[], const int send_displacements[],
            const MPI_Datatype send_types[], void *receive_buffer, const int receive_counts[],
            const int receive_displacements[], const MPI_Datatype receive_types[], MPI_Comm handle),
           (send_buffer, send_counts, send_displacements, send_types, receive_buffer, receive_counts,
            receive_displacements, receive_types, handle))
{
    struct blocks given = {.base = (void *)send_buffer, .counts = send_counts, .displacements = send_displacements,
                           .types = send_types};
    struct blocks taken = {.base = receive_buffer, .counts = receive_counts, .displacements = receive_displacements,
                           .types = receive_types};
    return alltoall(caller, handle, &given, &taken, request);
}
