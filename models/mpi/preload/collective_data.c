#include "models/mpi/preload/collective_data.h"

#include "models/mpi/preload/arguments.h"
#include "models/mpi/preload/data.h"
#include "models/mpi/preload/names.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/type_signatures.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

void collective_enter(const struct caller *caller, const struct communicator *communicator, enum wire_pattern pattern,
                      int root, uint64_t agreement, int parts)
{
    struct wire_operation operation = {
        .kind = WIRE_COLLECTIVE,
        .mode = (uint8_t)pattern,
        .function = caller->function,
        .request = WIRE_NO_REQUEST,
        .context = communicator->context,
        .peer = root == COLLECTIVE_NO_ROOT ? -1 : communicator->world[root],
        .agreement = agreement,
        .site = caller->site,
        .parts = (uint32_t)parts,
    };
    rank_issue(&operation);
}

const struct wire_resolution *collective_leave(const struct caller *caller, const struct communicator *communicator)
{
    struct wire_call call = {
        .kind = WIRE_CALL_COLLECTIVE,
        .function = caller->function,
        .context = communicator->context,
        .peer = -1,
        .site = caller->site,
    };
    return rank_block(&call, NULL);
}

/* 0 would mean that there is nothing to agree on. */
static uint64_t finish_agreement(XXH3_state_t *state, MPI_Op op)
{
    int named = real_is_predefined(op) ? op : 0;
    XXH3_64bits_update(state, &named, sizeof named);
    return XXH3_64bits_digest(state) | 1;
}

uint64_t collective_agreement(uint64_t bytes, MPI_Op op)
{
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, &bytes, sizeof bytes);
    return finish_agreement(&state, op);
}

uint64_t collective_agreement_typed(int count, MPI_Datatype type, MPI_Op op)
{
    const uint64_t fields[] = {(uint64_t)count * data_size(type), type_signature_whole(count, type)};
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, fields, sizeof fields);
    return finish_agreement(&state, op);
}

uint64_t collective_agreement_counts(const int *counts, int n, MPI_Datatype type, MPI_Op op)
{
    uint64_t size = collective_agreement_typed(1, type, op);
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, &size, sizeof size);
    XXH3_64bits_update(&state, counts, (size_t)n * sizeof *counts);
    return finish_agreement(&state, op);
}

struct collective_part collective_part(const struct wire_resolution *answer, int member)
{
    for (uint32_t i = 0; i < answer->completions; i++) {
        /* Almost always member i is completion i. */
        uint32_t guess = ((uint32_t)member + i) % answer->completions;
        const struct wire_completion *completion = rank_completion(answer, guess);
        if (completion->index == (uint32_t)member)
            return (struct collective_part){rank_completion_data(completion), completion->data};
    }
    return (struct collective_part){NULL, 0};
}

struct block block_of(const struct blocks *blocks, int member)
{
    struct block block = {
        .count = blocks->counts != NULL ? blocks->counts[member] : blocks->count,
        .type = blocks->types != NULL ? blocks->types[member] : blocks->type,
    };
    if (blocks->types != NULL)
        block.buffer = (char *)blocks->base + blocks->displacements[member];
    else if (blocks->counts != NULL)
        block.buffer = data_element(blocks->base, blocks->displacements[member], block.type);
    else
        block.buffer = data_element(blocks->base, (ptrdiff_t)member * blocks->count, block.type);
    return block;
}

uint64_t block_size(const struct block *block)
{
    return (uint64_t)block->count * data_size(block->type);
}

int check_block(const struct caller *caller, const struct communicator *communicator, const struct block *block)
{
    return check_data(caller, communicator, block->buffer, block->count, block->type);
}

int check_blocks(const struct caller *caller, const struct communicator *communicator, const struct blocks *blocks)
{
    int members = blocks->counts != NULL || blocks->types != NULL ? communicator->size : 1;
    for (int i = 0; i < members; i++) {
        struct block block = {
            .buffer = blocks->types != NULL ? (char *)blocks->base + blocks->displacements[i] : blocks->base,
            .count = blocks->counts != NULL ? blocks->counts[i] : blocks->count,
            .type = blocks->types != NULL ? blocks->types[i] : blocks->type,
        };
        int error = check_block(caller, communicator, &block);
        if (error != MPI_SUCCESS)
            return error;
    }
    return MPI_SUCCESS;
}

void collective_add_block(const struct block *block)
{
    data_add_part(block->buffer, block->count, block->type);
}

void collective_add_blocks(const struct communicator *communicator, const struct blocks *blocks)
{
    for (int i = 0; i < communicator->size; i++) {
        struct block block = block_of(blocks, i);
        collective_add_block(&block);
    }
}

void collective_take_block(const struct caller *caller, const struct communicator *communicator,
                           const struct wire_resolution *answer, int member, const struct block *block)
{
    struct collective_part part = collective_part(answer, member);
    if (part.size > block_size(block))
        rank_violation("collective-mismatch", caller->function, caller->site,
                       "%s receives %zu bytes from rank %d into a buffer of %llu bytes", function_name(caller->function),
                       part.size, communicator->world[member], (unsigned long long)block_size(block));
    data_unpack(block->buffer, block->type, part.bytes, part.size);
}

void collective_take_blocks(const struct caller *caller, const struct communicator *communicator,
                            const struct wire_resolution *answer, const struct blocks *blocks)
{
    for (int i = 0; i < communicator->size; i++) {
        struct block block = block_of(blocks, i);
        collective_take_block(caller, communicator, answer, i, &block);
    }
}
