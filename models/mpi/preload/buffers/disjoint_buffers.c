#include "models/mpi/preload/buffers/disjoint_buffers.h"

#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/datatypes/footprint.h"

#include <stdlib.h>

/* Of the blocks whose `peer` is not MPI_PROC_NULL. NULL: of all. */
static struct footprint footprint_of(const struct blocks *blocks, int n, const int *peer) {
    struct footprint footprint = {0};
    for (int i = 0; i < n; i++) {
        struct block block = block_of(blocks, i);
        if (peer == NULL || peer[i] != MPI_PROC_NULL)
            footprint_add(&footprint, block.buffer, block.count, block.type);
    }
    return footprint;
}

/* They are given up. */
static bool meet(struct footprint given, struct footprint taken) {
    bool meet = footprints_meet(&given, &taken);
    footprint_free(&given);
    footprint_free(&taken);
    return meet;
}

static bool overlap(const struct blocks *given, int given_blocks, const struct blocks *taken, int taken_blocks) {
    return meet(footprint_of(given, given_blocks, NULL), footprint_of(taken, taken_blocks, NULL));
}

static int reject_overlap(const struct caller *caller, const struct communicator *communicator) {
    return reject(caller, communicator->handle, MPI_ERR_BUFFER, "buffers for sending and receiving that overlap");
}

int check_disjoint(const struct caller *caller, const struct communicator *communicator, const struct blocks *given,
                   int given_blocks, const struct blocks *taken, int taken_blocks) {
    return overlap(given, given_blocks, taken, taken_blocks) ? reject_overlap(caller, communicator) : MPI_SUCCESS;
}

int check_disjoint_edges(const struct caller *caller, const struct communicator *communicator, const struct blocks *given,
                         const struct neighbours *destinations, const struct blocks *taken, const struct neighbours *sources) {
    struct footprint sent = footprint_of(given, destinations->count, destinations->rank);
    return meet(sent, footprint_of(taken, sources->count, sources->rank)) ? reject_overlap(caller, communicator) : MPI_SUCCESS;
}

int check_disjoint_gathered(const struct caller *caller, const struct communicator *communicator, const struct block *given,
                            const struct neighbours *destinations, const struct blocks *taken,
                            const struct neighbours *sources) {
    struct footprint sent = {0};
    if (neighbours_any(destinations))
        footprint_add(&sent, given->buffer, given->count, given->type);
    return meet(sent, footprint_of(taken, sources->count, sources->rank)) ? reject_overlap(caller, communicator) : MPI_SUCCESS;
}

int check_disjoint_block(const struct caller *caller, const struct communicator *communicator, const struct block *given,
                         const struct blocks *taken, int taken_blocks) {
    const struct blocks blocks = equal_blocks(given->buffer, given->count, given->type);
    return check_disjoint(caller, communicator, &blocks, 1, taken, taken_blocks);
}

static bool any_meet(const struct footprint *footprint, int n) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            if (footprints_meet(&footprint[i], &footprint[k]))
                return true;
        }
    }
    return false;
}

bool elements_overlap(const void *buffer, MPI_Count count, MPI_Datatype type) {
    if (count == 0 || real_is_predefined(type))
        return false;
    struct footprint footprint = {0};
    footprint_add(&footprint, buffer, count > 2 ? 2 : count, type);
    const bool overlap = footprint_overlaps_itself(&footprint);
    footprint_free(&footprint);
    return overlap;
}

static int reject_type(const struct caller *caller, const struct communicator *communicator) {
    return reject(caller, communicator->handle, MPI_ERR_TYPE, "a datatype to receive with that has entries which overlap");
}

int check_received(const struct caller *caller, const struct communicator *communicator, const struct block *taken) {
    return elements_overlap(taken->buffer, taken->count, taken->type) ? reject_type(caller, communicator) : MPI_SUCCESS;
}

/* Blocks that are alike lie one behind the other, as the elements of one buffer do. */
static bool any_overlaps_itself(const struct blocks *taken, int taken_blocks, const int *from) {
    if (blocks_are_alike(taken) && from == NULL)
        return elements_overlap(taken->base, taken->count * taken_blocks, taken->type);
    for (int i = 0; i < taken_blocks; i++) {
        struct block block = block_of(taken, i);
        if ((from == NULL || from[i] != MPI_PROC_NULL) && elements_overlap(block.buffer, block.count, block.type))
            return true;
    }
    return false;
}

int check_blocks_apart(const struct caller *caller, const struct communicator *communicator, const struct blocks *taken,
                       int taken_blocks, const int *from) {
    if (any_overlaps_itself(taken, taken_blocks, from))
        return reject_type(caller, communicator);
    if (blocks_are_alike(taken) && (from == NULL || real_is_predefined(taken->type)))
        return MPI_SUCCESS;
    struct footprint *footprint = calloc((size_t)taken_blocks + 1, sizeof *footprint);
    for (int i = 0; i < taken_blocks; i++) {
        struct block block = block_of(taken, i);
        if (from == NULL || from[i] != MPI_PROC_NULL)
            footprint_add(&footprint[i], block.buffer, block.count, block.type);
    }
    bool overlap = any_meet(footprint, taken_blocks);
    for (int i = 0; i < taken_blocks; i++)
        footprint_free(&footprint[i]);
    free(footprint);
    if (overlap)
        return reject(caller, communicator->handle, MPI_ERR_BUFFER, "blocks to receive that overlap each other");
    return MPI_SUCCESS;
}

bool blocks_overlap(const struct block *one, const struct block *other) {
    const struct blocks a = equal_blocks(one->buffer, one->count, one->type);
    const struct blocks b = equal_blocks(other->buffer, other->count, other->type);
    return overlap(&a, 1, &b, 1);
}
