/* Collectives that move data: barrier, broadcast, gather, scatter, allgather, alltoall. Each is one operation of the
 * network, never a pattern of messages. */
#include "models/mpi/functions.h"
#include "models/mpi/preload/buffers/buffer_room.h"
#include "models/mpi/preload/buffers/disjoint_buffers.h"
#include "models/mpi/preload/collectives/collective_data.h"
#include "models/mpi/preload/datatypes/data.h"
#include "models/mpi/preload/rank.h"

#define BARRIER(number, numbers) MPI_Comm handle
COLLECTIVE_WITHOUT_COUNT(Barrier, Ibarrier, BARRIER, (handle)) {
    struct collective collective = collective_of_all(caller, NULL);
    collective.manner = manner;
    int error = check_communicator(caller, handle, &collective.communicator);
    if (error != MPI_SUCCESS)
        return error;
    collective_run(&collective);
    return MPI_SUCCESS;
}

static int check_rooted(const struct caller *caller, MPI_Comm handle, int root, struct communicator **communicator) {
    int error = check_communicator(caller, handle, communicator);
    return error == MPI_SUCCESS ? check_root(caller, *communicator, root) : error;
}

static void give_block(struct collective *collective, const struct block *given) {
    collective->give = collective_give_block;
    collective->given = *given;
    collective->parts = 1;
}

/* A block for each member. */
static void give_blocks(struct collective *collective, const struct blocks *given) {
    collective->give = collective_give_blocks;
    collective->givens = *given;
    collective->given_count = communicator_peers(collective->communicator);
    collective->parts = collective->given_count;
}

/* All members must have blocks of so many elements. */
static void agree_on(struct collective *collective, MPI_Count count, MPI_Datatype type) {
    uint64_t size = (uint64_t)count * data_size(type);
    collective_agree_on_types(collective, count, type);
    collective->agreement = collective_agreement(size, MPI_OP_NULL);
    collective->is_empty = size == 0;
}

#define BCAST(number, numbers) void *buffer, number count, MPI_Datatype type, int root, MPI_Comm handle
COLLECTIVE(Bcast, Ibcast, BCAST, (buffer, count, type, root, handle)) {
    struct collective collective = {.caller = *caller, .pattern = WIRE_FAN_OUT, .root = root, .manner = manner};
    struct block block = {buffer, count, type};
    int error = check_rooted(caller, handle, root, &collective.communicator);
    if (error != MPI_SUCCESS)
        return error;
    bool is_root = collective_is_root(&collective);
    bool is_leaf = collective_is_leaf(&collective) && !is_root;
    if (is_root || is_leaf)
        error = check_block(caller, collective.communicator, &block);
    if (error == MPI_SUCCESS && is_leaf)
        error = check_received(caller, collective.communicator, &block);
    if (error != MPI_SUCCESS)
        return error;
    if (is_root || is_leaf) {
        require_room(caller, buffer, count, type);
        agree_on(&collective, block.count, block.type);
    }
    if (is_leaf) {
        collective.take = collective_take_block;
        collective.block = block;
    }
    if (is_root)
        give_block(&collective, &block);
    collective_run(&collective);
    return MPI_SUCCESS;
}

/* Where all blocks are alike, what this process gives and what it takes must have the same types, as between processes. */
static void require_same_types(const struct collective *collective, const struct blocks *all, const struct block *own) {
    const struct caller *caller = &collective->caller;
    if (collective->types == 0 || block_size(own) != (uint64_t)all->count * data_size(all->type))
        return;
    struct collective other = {0};
    collective_agree_on_types(&other, own->count, own->type);
    if (other.types != 0 && other.types != collective->types)
        rank_violation("type-mismatch", caller->function, caller->site,
                       "%s was called with other types for sending than for receiving", function_name(caller->function));
}

/* Only the root has all blocks, and the others one of them. The root has its own too, unless that is in place. */
static void agree_on_rooted(struct collective *collective, const struct blocks *all, const struct block *own, bool in_place) {
    if (collective_is_root(collective))
        agree_on(collective, all->count, all->type);
    if (collective_is_root(collective) && collective_is_leaf(collective) && !in_place)
        require_same_types(collective, all, own);
    else if (!collective_is_root(collective) && collective_is_leaf(collective))
        agree_on(collective, own->count, own->type);
}

static bool may_be_in_place(const struct communicator *communicator, const void *buffer) {
    return buffer == MPI_IN_PLACE && !communicator_is_inter(communicator);
}

static bool is_empty_block(const struct collective *collective, int member) {
    struct block block = block_of(&collective->blocks, member);
    return block_size(&block) == 0;
}

static void take_blocks(struct collective *collective, const struct blocks *taken) {
    collective->take = collective_take_blocks;
    collective->is_empty_from = is_empty_block;
    collective->blocks = *taken;
    collective->block_count = communicator_peers(collective->communicator);
}

/* Checks the arguments that matter on this process. `in_place`: the root's own block stays where it is. */
static int check_parts(const struct collective *collective, const struct blocks *all, const struct block *own, bool in_place) {
    const struct communicator *communicator = collective->communicator;
    int error = MPI_SUCCESS;
    if (collective_is_leaf(collective) && !in_place)
        error = check_block(&collective->caller, communicator, own);
    if (error == MPI_SUCCESS && collective_is_root(collective))
        error = check_blocks(&collective->caller, communicator, all, communicator_peers(communicator));
    if (error == MPI_SUCCESS && collective_is_leaf(collective) && !in_place)
        require_room(&collective->caller, own->buffer, own->count, own->type);
    if (error == MPI_SUCCESS && collective_is_root(collective))
        require_room_of_blocks(&collective->caller, all, communicator_peers(communicator));
    bool has_both = collective_is_leaf(collective) && collective_is_root(collective) && !in_place;
    if (error == MPI_SUCCESS && has_both)
        error = check_disjoint_block(&collective->caller, communicator, own, all, communicator_peers(communicator));
    return error;
}

/* An in-place root gives an empty part. */
static int gather(const struct caller *caller, MPI_Comm handle, int root, const struct block *given, const struct blocks *taken,
                  bool varying, struct manner manner) {
    struct collective collective = {.caller = *caller, .pattern = WIRE_FAN_IN, .root = root, .manner = manner};
    int error = check_rooted(caller, handle, root, &collective.communicator);
    if (error != MPI_SUCCESS)
        return error;
    bool is_root = collective_is_root(&collective);
    bool is_leaf = collective_is_leaf(&collective);
    bool in_place = is_root && may_be_in_place(collective.communicator, given->buffer);
    error = check_parts(&collective, taken, given, in_place);
    if (error == MPI_SUCCESS && is_root)
        error = check_blocks_apart(caller, collective.communicator, taken, communicator_peers(collective.communicator), NULL);
    if (error != MPI_SUCCESS)
        return error;
    if (!varying)
        agree_on_rooted(&collective, taken, given, in_place);
    if (is_root)
        take_blocks(&collective, taken);
    struct block nothing = {NULL, 0, MPI_BYTE};
    collective.in_place = in_place;
    if (is_leaf)
        give_block(&collective, in_place ? &nothing : given);
    collective_run(&collective);
    return MPI_SUCCESS;
}

#define GATHER(number, numbers)                                                                                     \
    const void *send_buffer, number send_count, MPI_Datatype send_type, void *receive_buffer, number receive_count, \
        MPI_Datatype receive_type, int root, MPI_Comm handle
COLLECTIVE(Gather, Igather, GATHER,
           (send_buffer, send_count, send_type, receive_buffer, receive_count, receive_type, root, handle)) {
    struct block given = {(void *)send_buffer, send_count, send_type};
    struct blocks taken = equal_blocks(receive_buffer, receive_count, receive_type);
    return gather(caller, handle, root, &given, &taken, false, manner);
}

#define GATHERV(number, numbers)                                                                                      \
    const void *send_buffer, number send_count, MPI_Datatype send_type, void *receive_buffer, numbers receive_counts, \
        numbers displacements, MPI_Datatype receive_type, int root, MPI_Comm handle
COLLECTIVE(Gatherv, Igatherv, GATHERV,
           (send_buffer, send_count, send_type, receive_buffer, receive_counts, displacements, receive_type, root, handle)) {
    struct block given = {(void *)send_buffer, send_count, send_type};
    struct blocks taken = varying_blocks(receive_buffer, receive_counts, displacements, receive_type, manner.large);
    return gather(caller, handle, root, &given, &taken, true, manner);
}

static int scatter(const struct caller *caller, MPI_Comm handle, int root, const struct blocks *given,
                   const struct block *taken, bool varying, struct manner manner) {
    struct collective collective = {.caller = *caller, .pattern = WIRE_FAN_OUT, .root = root, .manner = manner};
    int error = check_rooted(caller, handle, root, &collective.communicator);
    if (error != MPI_SUCCESS)
        return error;
    bool is_root = collective_is_root(&collective);
    bool is_leaf = collective_is_leaf(&collective);
    bool in_place = is_root && may_be_in_place(collective.communicator, taken->buffer);
    error = check_parts(&collective, given, taken, in_place);
    if (error == MPI_SUCCESS && is_leaf && !in_place)
        error = check_received(caller, collective.communicator, taken);
    if (error != MPI_SUCCESS)
        return error;
    if (!varying)
        agree_on_rooted(&collective, given, taken, in_place);
    if (is_leaf && !in_place) {
        collective.take = collective_take_block;
        collective.block = *taken;
        collective.is_empty = block_size(taken) == 0;
    }
    if (is_root)
        give_blocks(&collective, given);
    collective_run(&collective);
    return MPI_SUCCESS;
}

#define SCATTER(number, numbers)                                                                                    \
    const void *send_buffer, number send_count, MPI_Datatype send_type, void *receive_buffer, number receive_count, \
        MPI_Datatype receive_type, int root, MPI_Comm handle
COLLECTIVE(Scatter, Iscatter, SCATTER,
           (send_buffer, send_count, send_type, receive_buffer, receive_count, receive_type, root, handle)) {
    struct blocks given = equal_blocks(send_buffer, send_count, send_type);
    struct block taken = {receive_buffer, receive_count, receive_type};
    return scatter(caller, handle, root, &given, &taken, false, manner);
}

#define SCATTERV(number, numbers)                                                                                      \
    const void *send_buffer, numbers send_counts, numbers displacements, MPI_Datatype send_type, void *receive_buffer, \
        number receive_count, MPI_Datatype receive_type, int root, MPI_Comm handle
COLLECTIVE(Scatterv, Iscatterv, SCATTERV,
           (send_buffer, send_counts, displacements, send_type, receive_buffer, receive_count, receive_type, root, handle)) {
    struct blocks given = varying_blocks(send_buffer, send_counts, displacements, send_type, manner.large);
    struct block taken = {receive_buffer, receive_count, receive_type};
    return scatter(caller, handle, root, &given, &taken, true, manner);
}

/* Everybody takes a block of everybody. Between two groups either direction has sizes of its own, and in v- and w-variants
 * every pair. */
static struct collective exchange(const struct caller *caller, struct communicator *communicator, const struct blocks *taken,
                                  bool in_place, struct manner manner) {
    struct collective collective = collective_of_all(caller, communicator);
    if (!communicator_is_inter(communicator) && blocks_are_alike(taken))
        agree_on(&collective, taken->count, taken->type);
    collective.agreement ^= in_place ? WIRE_IN_PLACE : 0;
    collective.manner = manner;
    take_blocks(&collective, taken);
    return collective;
}

static int allgather(const struct caller *caller, MPI_Comm handle, const struct block *given, const struct blocks *taken,
                     struct manner manner) {
    struct communicator *communicator;
    int error = check_communicator(caller, handle, &communicator);
    if (error != MPI_SUCCESS)
        return error;
    bool in_place = may_be_in_place(communicator, given->buffer);
    if (!in_place)
        error = check_block(caller, communicator, given);
    if (error == MPI_SUCCESS)
        error = check_blocks(caller, communicator, taken, communicator_peers(communicator));
    if (error == MPI_SUCCESS && !in_place)
        error = check_disjoint_block(caller, communicator, given, taken, communicator_peers(communicator));
    if (error == MPI_SUCCESS)
        error = check_blocks_apart(caller, communicator, taken, communicator_peers(communicator), NULL);
    if (error != MPI_SUCCESS)
        return error;
    if (!in_place)
        require_room(caller, given->buffer, given->count, given->type);
    require_room_of_blocks(caller, taken, communicator_peers(communicator));
    struct collective collective = exchange(caller, communicator, taken, in_place, manner);
    if (!in_place)
        require_same_types(&collective, taken, given);
    struct block own = in_place ? block_of(taken, communicator->rank) : *given;
    give_block(&collective, &own);
    collective_run(&collective);
    return MPI_SUCCESS;
}

#define ALLGATHER(number, numbers)                                                                                  \
    const void *send_buffer, number send_count, MPI_Datatype send_type, void *receive_buffer, number receive_count, \
        MPI_Datatype receive_type, MPI_Comm handle
COLLECTIVE(Allgather, Iallgather, ALLGATHER,
           (send_buffer, send_count, send_type, receive_buffer, receive_count, receive_type, handle)) {
    struct block given = {(void *)send_buffer, send_count, send_type};
    struct blocks taken = equal_blocks(receive_buffer, receive_count, receive_type);
    return allgather(caller, handle, &given, &taken, manner);
}

#define ALLGATHERV(number, numbers)                                                                                   \
    const void *send_buffer, number send_count, MPI_Datatype send_type, void *receive_buffer, numbers receive_counts, \
        numbers displacements, MPI_Datatype receive_type, MPI_Comm handle
COLLECTIVE(Allgatherv, Iallgatherv, ALLGATHERV,
           (send_buffer, send_count, send_type, receive_buffer, receive_counts, displacements, receive_type, handle)) {
    struct block given = {(void *)send_buffer, send_count, send_type};
    struct blocks taken = varying_blocks(receive_buffer, receive_counts, displacements, receive_type, manner.large);
    return allgather(caller, handle, &given, &taken, manner);
}

/* In place, the data to send lies where the data received will be. */
static int alltoall(const struct caller *caller, MPI_Comm handle, const struct blocks *given, const struct blocks *taken,
                    struct manner manner) {
    struct communicator *communicator;
    int error = check_communicator(caller, handle, &communicator);
    if (error != MPI_SUCCESS)
        return error;
    int peers = communicator_peers(communicator);
    bool in_place = may_be_in_place(communicator, given->base);
    if (!in_place)
        error = check_blocks(caller, communicator, given, peers);
    if (error == MPI_SUCCESS)
        error = check_blocks(caller, communicator, taken, peers);
    if (error == MPI_SUCCESS && !in_place)
        error = check_disjoint(caller, communicator, given, peers, taken, peers);
    if (error == MPI_SUCCESS)
        error = check_blocks_apart(caller, communicator, taken, peers, NULL);
    if (error != MPI_SUCCESS)
        return error;
    if (!in_place)
        require_room_of_blocks(caller, given, peers);
    require_room_of_blocks(caller, taken, peers);
    struct collective collective = exchange(caller, communicator, taken, in_place, manner);
    const struct block each = {given->base, given->count, given->type};
    if (!in_place && blocks_are_alike(given))
        require_same_types(&collective, taken, &each);
    give_blocks(&collective, in_place ? taken : given);
    collective_run(&collective);
    return MPI_SUCCESS;
}

#define ALLTOALL(number, numbers)                                                                                   \
    const void *send_buffer, number send_count, MPI_Datatype send_type, void *receive_buffer, number receive_count, \
        MPI_Datatype receive_type, MPI_Comm handle
COLLECTIVE(Alltoall, Ialltoall, ALLTOALL,
           (send_buffer, send_count, send_type, receive_buffer, receive_count, receive_type, handle)) {
    struct blocks given = equal_blocks(send_buffer, send_count, send_type);
    struct blocks taken = equal_blocks(receive_buffer, receive_count, receive_type);
    return alltoall(caller, handle, &given, &taken, manner);
}

#define ALLTOALLV(number, numbers)                                                                                          \
    const void *send_buffer, numbers send_counts, numbers send_displacements, MPI_Datatype send_type, void *receive_buffer, \
        numbers receive_counts, numbers receive_displacements, MPI_Datatype receive_type, MPI_Comm handle
COLLECTIVE(Alltoallv, Ialltoallv, ALLTOALLV,
           (send_buffer, send_counts, send_displacements, send_type, receive_buffer, receive_counts, receive_displacements,
            receive_type, handle)) {
    struct blocks given = varying_blocks(send_buffer, send_counts, send_displacements, send_type, manner.large);
    struct blocks taken = varying_blocks(receive_buffer, receive_counts, receive_displacements, receive_type, manner.large);
    return alltoall(caller, handle, &given, &taken, manner);
}

#define ALLTOALLW(number, numbers)                                                                                       \
    const void *send_buffer, numbers send_counts, numbers send_displacements, const MPI_Datatype send_types[],           \
        void *receive_buffer, numbers receive_counts, numbers receive_displacements, const MPI_Datatype receive_types[], \
        MPI_Comm handle
COLLECTIVE(Alltoallw, Ialltoallw, ALLTOALLW,
           (send_buffer, send_counts, send_displacements, send_types, receive_buffer, receive_counts, receive_displacements,
            receive_types, handle)) {
    struct blocks given = typed_blocks(send_buffer, send_counts, send_displacements, send_types, manner.large);
    struct blocks taken = typed_blocks(receive_buffer, receive_counts, receive_displacements, receive_types, manner.large);
    return alltoall(caller, handle, &given, &taken, manner);
}
