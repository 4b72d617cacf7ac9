/* Neighbourhood collectives (MPI-3.1 section 7.6). A process gives each neighbour the blocks of all edges that lead there, one
 * after the other, and takes of each source the blocks of all edges that come from there. */
#include "models/mpi/functions.h"
#include "models/mpi/preload/buffers/buffer_room.h"
#include "models/mpi/preload/buffers/disjoint_buffers.h"
#include "models/mpi/preload/collectives/collective_data.h"
#include "models/mpi/preload/communicators/topology.h"
#include "models/mpi/preload/rank.h"

#include <stdlib.h>
#include <string.h>

static int check_neighbourhood(const struct caller *caller, MPI_Comm handle, struct communicator **communicator) {
    int error = check_communicator(caller, handle, communicator);
    if (error == MPI_SUCCESS && (*communicator)->topology == NULL)
        return reject(caller, handle, MPI_ERR_TOPOLOGY, "a communicator without a topology");
    return error;
}

/* Are there edges from the member, and all blocks along them empty? */
static bool are_empty_blocks(const struct collective *collective, int member) {
    struct neighbours sources = topology_sources(collective->communicator);
    int edges = 0;
    int empty = 0;
    for (int i = 0; i < sources.count; i++) {
        struct block block = block_of(&collective->blocks, i);
        edges += sources.rank[i] == member;
        empty += sources.rank[i] == member && block_size(&block) == 0;
    }
    neighbours_free(&sources);
    return edges > 0 && empty == edges;
}

static int check_taken(const struct caller *caller, const struct communicator *communicator, const struct blocks *taken,
                       const struct neighbours *sources) {
    int error = check_blocks(caller, communicator, taken, sources->count);
    if (error == MPI_SUCCESS)
        error = check_blocks_apart(caller, communicator, taken, sources->count, sources->rank);
    return error;
}

static int check_gathered(const struct caller *caller, const struct communicator *communicator, const struct block *given,
                          const struct blocks *taken) {
    struct neighbours sources = topology_sources(communicator), destinations = topology_destinations(communicator);
    int error = check_taken(caller, communicator, taken, &sources);
    if (error == MPI_SUCCESS)
        error = check_disjoint_gathered(caller, communicator, given, &destinations, taken, &sources);
    if (error == MPI_SUCCESS && neighbours_any(&destinations))
        require_room(caller, given->buffer, given->count, given->type);
    if (error == MPI_SUCCESS)
        require_room_of_edges(caller, taken, &sources);
    neighbours_free(&sources);
    neighbours_free(&destinations);
    return error;
}

static int check_exchanged(const struct caller *caller, const struct communicator *communicator, const struct blocks *given,
                           const struct blocks *taken) {
    struct neighbours sources = topology_sources(communicator), destinations = topology_destinations(communicator);
    int error = check_blocks(caller, communicator, given, destinations.count);
    if (error == MPI_SUCCESS)
        error = check_taken(caller, communicator, taken, &sources);
    if (error == MPI_SUCCESS)
        error = check_disjoint_edges(caller, communicator, given, &destinations, taken, &sources);
    if (error == MPI_SUCCESS) {
        require_room_of_edges(caller, given, &destinations);
        require_room_of_edges(caller, taken, &sources);
    }
    neighbours_free(&sources);
    neighbours_free(&destinations);
    return error;
}

static struct collective neighbourhood(const struct caller *caller, struct communicator *communicator,
                                       const struct blocks *taken, int sources, struct manner manner) {
    struct collective collective = collective_of_all(caller, communicator);
    collective.pattern = WIRE_NEIGHBOURS;
    collective.blocks = *taken;
    collective.block_count = sources;
    collective.manner = manner;
    collective.is_empty_from = are_empty_blocks;
    return collective;
}

static _Noreturn void report_edges(const struct collective *collective, int source) {
    collective_mismatch(collective, collective->communicator->world[source],
                        "%s: ranks %d and %d do not have the same edges between them in the topology",
                        function_name(collective->caller.function), rank_number(), collective->communicator->world[source]);
}

/* --- the same block for all -------------------------------------------------------------------------------------------- */

static void take_gathered(const struct collective *collective, struct collective_answer *answer) {
    struct neighbours sources = topology_sources(collective->communicator);
    for (int i = 0; i < sources.count; i++) {
        struct block block = block_of(&collective->blocks, i);
        if (sources.rank[i] != MPI_PROC_NULL)
            collective_take_from(collective, answer, sources.rank[i], &block);
    }
    neighbours_free(&sources);
}

static int allgather(const struct caller *caller, MPI_Comm handle, const struct block *given, const struct blocks *taken,
                     struct manner manner) {
    struct communicator *communicator;
    int error = check_neighbourhood(caller, handle, &communicator);
    if (error == MPI_SUCCESS)
        error = check_block(caller, communicator, given);
    if (error != MPI_SUCCESS)
        return error;
    struct neighbours sources = topology_sources(communicator);
    struct collective collective = neighbourhood(caller, communicator, taken, sources.count, manner);
    neighbours_free(&sources);
    error = check_gathered(caller, communicator, given, taken);
    if (error != MPI_SUCCESS)
        return error;
    collective.take = take_gathered;
    collective.give = collective_give_block;
    collective.given = *given;
    collective.parts = 1;
    collective_run(&collective);
    return MPI_SUCCESS;
}

#define NEIGHBOR_ALLGATHER(number, numbers)                                                                         \
    const void *send_buffer, number send_count, MPI_Datatype send_type, void *receive_buffer, number receive_count, \
        MPI_Datatype receive_type, MPI_Comm handle
COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, NEIGHBOR_ALLGATHER,
           (send_buffer, send_count, send_type, receive_buffer, receive_count, receive_type, handle)) {
    struct block given = {(void *)send_buffer, send_count, send_type};
    struct blocks taken = equal_blocks(receive_buffer, receive_count, receive_type);
    return allgather(caller, handle, &given, &taken, manner);
}

#define NEIGHBOR_ALLGATHERV(number, numbers)                                                                          \
    const void *send_buffer, number send_count, MPI_Datatype send_type, void *receive_buffer, numbers receive_counts, \
        numbers displacements, MPI_Datatype receive_type, MPI_Comm handle
COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, NEIGHBOR_ALLGATHERV,
           (send_buffer, send_count, send_type, receive_buffer, receive_counts, displacements, receive_type, handle)) {
    struct block given = {(void *)send_buffer, send_count, send_type};
    struct blocks taken = varying_blocks(receive_buffer, receive_counts, displacements, receive_type, manner.large);
    return allgather(caller, handle, &given, &taken, manner);
}

/* --- a block for each edge --------------------------------------------------------------------------------------------- */

/* The blocks of all edges to `member`: how long each is packed, and that. Nothing at all if no block has any bytes. */
static void add_edges_to(int member, const struct neighbours *destinations, const struct blocks *given) {
    uint64_t total = 0;
    bool any = false;
    for (int i = 0; i < destinations->count; i++) {
        struct block block = block_of(given, i);
        if (destinations->rank[i] != member)
            continue;
        total += sizeof(uint64_t) + collective_packed_size(&block);
        any |= block_size(&block) > 0;
    }
    if (!any)
        total = 0;
    char *at = rank_add_part(total);
    if (!any)
        return;
    for (int i = 0; i < destinations->count; i++) {
        if (destinations->rank[i] != member)
            continue;
        struct block block = block_of(given, i);
        uint64_t size = collective_packed_size(&block);
        memcpy(at, &size, sizeof size);
        collective_pack(at + sizeof size, &block);
        at += sizeof size + size;
    }
}

static void give_edges(const struct collective *collective) {
    struct neighbours destinations = topology_destinations(collective->communicator);
    for (int member = 0; member < collective->parts; member++)
        add_edges_to(member, &destinations, &collective->givens);
    neighbours_free(&destinations);
}

/* Number `which` of the blocks in a part; `bytes` NULL if there are not so many. */
static struct collective_part block_in(struct collective_part part, int which) {
    const char *at = part.bytes;
    for (size_t left = part.size; left > 0;) {
        uint64_t size;
        memcpy(&size, at, sizeof size);
        if (which-- == 0)
            return (struct collective_part){at + sizeof size, size};
        at += sizeof size + size;
        left -= sizeof size + size;
    }
    return (struct collective_part){NULL, 0};
}

static int count_of(const struct neighbours *neighbours, int end, int rank) {
    int count = 0;
    for (int i = 0; i < end; i++)
        count += neighbours->rank[i] == rank;
    return count;
}

/* Which of several edges between two processes a block belongs to: the standard's wording (first with first) and its later
 * clarification for grids that are two wide and periodic (what is sent downwards comes from above: first with last) differ.
 * MPICH 4.0 takes them in reverse for blocks of one size and in order for those of many. So does this. */
static void take_edges(const struct collective *collective, struct collective_answer *answer, bool reversed) {
    struct neighbours sources = topology_sources(collective->communicator);
    for (int i = 0; i < sources.count; i++) {
        int source = sources.rank[i];
        if (source == MPI_PROC_NULL)
            continue;
        struct block block = block_of(&collective->blocks, i);
        struct collective_part part = collective_part(answer, source);
        if (part.size == 0 && block_size(&block) == 0)
            continue;
        int edges = count_of(&sources, sources.count, source);
        int which = count_of(&sources, i, source);
        struct collective_part taken = block_in(part, reversed ? edges - 1 - which : which);
        if (taken.bytes == NULL || block_in(part, edges).bytes != NULL)
            report_edges(collective, source);
        collective_unpack(collective, source, taken, &block);
    }
    neighbours_free(&sources);
}

static void take_equal(const struct collective *collective, struct collective_answer *answer) {
    take_edges(collective, answer, true);
}

static void take_varying(const struct collective *collective, struct collective_answer *answer) {
    take_edges(collective, answer, false);
}

static int alltoall(const struct caller *caller, MPI_Comm handle, const struct blocks *given, const struct blocks *taken,
                    struct manner manner) {
    struct communicator *communicator;
    int error = check_neighbourhood(caller, handle, &communicator);
    if (error != MPI_SUCCESS)
        return error;
    struct neighbours destinations = topology_destinations(communicator);
    struct neighbours sources = topology_sources(communicator);
    struct collective collective = neighbourhood(caller, communicator, taken, sources.count, manner);
    collective.give = give_edges;
    collective.givens = *given;
    collective.given_count = destinations.count;
    collective.parts = communicator->size;
    collective.take = blocks_are_alike(taken) ? take_equal : take_varying;
    neighbours_free(&destinations);
    neighbours_free(&sources);
    error = check_exchanged(caller, communicator, given, taken);
    if (error == MPI_SUCCESS)
        collective_run(&collective);
    return error;
}

#define NEIGHBOR_ALLTOALL(number, numbers)                                                                          \
    const void *send_buffer, number send_count, MPI_Datatype send_type, void *receive_buffer, number receive_count, \
        MPI_Datatype receive_type, MPI_Comm handle
COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, NEIGHBOR_ALLTOALL,
           (send_buffer, send_count, send_type, receive_buffer, receive_count, receive_type, handle)) {
    struct blocks given = equal_blocks(send_buffer, send_count, send_type);
    struct blocks taken = equal_blocks(receive_buffer, receive_count, receive_type);
    return alltoall(caller, handle, &given, &taken, manner);
}

#define NEIGHBOR_ALLTOALLV(number, numbers)                                                                                 \
    const void *send_buffer, numbers send_counts, numbers send_displacements, MPI_Datatype send_type, void *receive_buffer, \
        numbers receive_counts, numbers receive_displacements, MPI_Datatype receive_type, MPI_Comm handle
COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, NEIGHBOR_ALLTOALLV,
           (send_buffer, send_counts, send_displacements, send_type, receive_buffer, receive_counts, receive_displacements,
            receive_type, handle)) {
    struct blocks given = varying_blocks(send_buffer, send_counts, send_displacements, send_type, manner.large);
    struct blocks taken = varying_blocks(receive_buffer, receive_counts, receive_displacements, receive_type, manner.large);
    return alltoall(caller, handle, &given, &taken, manner);
}

#define NEIGHBOR_ALLTOALLW(number, numbers)                                                                                \
    const void *send_buffer, numbers send_counts, const MPI_Aint *send_offsets, const MPI_Datatype send_types[],           \
        void *receive_buffer, numbers receive_counts, const MPI_Aint *receive_offsets, const MPI_Datatype receive_types[], \
        MPI_Comm handle
COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw, NEIGHBOR_ALLTOALLW,
           (send_buffer, send_counts, send_offsets, send_types, receive_buffer, receive_counts, receive_offsets, receive_types,
            handle)) {
    struct blocks given = typed_blocks(send_buffer, send_counts, NULL, send_types, manner.large);
    struct blocks taken = typed_blocks(receive_buffer, receive_counts, NULL, receive_types, manner.large);
    given.offsets = send_offsets;
    taken.offsets = receive_offsets;
    return alltoall(caller, handle, &given, &taken, manner);
}
