#include "models/mpi/preload/disjoint_buffers.h"

#include "models/mpi/preload/arguments.h"
#include "models/mpi/preload/footprint.h"

#include <stdlib.h>

static struct footprint footprint_of(const struct blocks *blocks, int n) {
    struct footprint footprint = {0};
    for (int i = 0; i < n; i++) {
        struct block block = block_of(blocks, i);
        footprint_add(&footprint, block.buffer, block.count, block.type);
    }
    return footprint;
}

static bool overlap(const struct blocks *given, int given_blocks, const struct blocks *taken, int taken_blocks) {
    struct footprint first = footprint_of(given, given_blocks), second = footprint_of(taken, taken_blocks);
    bool meet = footprints_meet(&first, &second);
    footprint_free(&first);
    footprint_free(&second);
    return meet;
}

int check_disjoint(const struct caller *caller, const struct communicator *communicator, const struct blocks *given,
                   int given_blocks, const struct blocks *taken, int taken_blocks) {
    if (overlap(given, given_blocks, taken, taken_blocks))
        return reject(caller, communicator->handle, MPI_ERR_BUFFER, "buffers for sending and receiving that overlap");
    return MPI_SUCCESS;
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

int check_blocks_apart(const struct caller *caller, const struct communicator *communicator, const struct blocks *taken,
                       int taken_blocks, const int *from) {
    if (blocks_are_alike(taken))
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
