/* Collectives that compute. Each member gives its packed contribution; whoever needs a result folds the contributions itself,
 * from the right, so that operators that do not commute see them in rank order:
 *
 *     c[0] op (c[1] op (... op c[n-1]))
 */
#include "models/mpi/preload/arguments.h"
#include "models/mpi/preload/collective_data.h"
#include "models/mpi/preload/data.h"
#include "models/mpi/preload/names.h"
#include "models/mpi/preload/rank.h"

#include <stdlib.h>

/* What the program asked for. */
struct reduction {
    const void *input; /* may be MPI_IN_PLACE */
    void *result;
    int count;
    MPI_Datatype type;
    MPI_Op op;
};

static int check_reduction(const struct caller *caller, const struct communicator *communicator,
                           const struct reduction *reduction, bool in_place_allowed, bool has_result)
{
    bool in_place = in_place_allowed && reduction->input == MPI_IN_PLACE;
    int error = MPI_SUCCESS;
    if (!in_place)
        error = check_data(caller, communicator, reduction->input, reduction->count, reduction->type);
    if (error == MPI_SUCCESS && has_result)
        error = check_data(caller, communicator, reduction->result, reduction->count, reduction->type);
    if (error != MPI_SUCCESS)
        return error;
    if (has_result && reduction->count > 0 && reduction->input == reduction->result && reduction->input != MPI_BOTTOM)
        return reject(caller, communicator->handle, MPI_ERR_BUFFER, "the same buffer for input and result");
    return check_operator(caller, communicator, reduction->op, reduction->type);
}

static const void *input_of(const struct reduction *reduction)
{
    return reduction->input == MPI_IN_PLACE ? reduction->result : reduction->input;
}

static void unpack_contribution(const struct caller *caller, const struct communicator *communicator,
                                const struct wire_resolution *answer, int member, const struct block *block)
{
    size_t given = collective_part(answer, member).size;
    if (given < block_size(block))
        rank_violation("collective-mismatch", caller->function, caller->site,
                       "%s combines %llu bytes, but rank %d contributed %zu", function_name(caller->function),
                       (unsigned long long)block_size(block), communicator->world[member], given);
    collective_take_block(caller, communicator, answer, member, block);
}

/* result = the contributions of members 0..last. */
static void fold(const struct caller *caller, const struct communicator *communicator, const struct wire_resolution *answer,
                 int last, const struct reduction *reduction)
{
    struct block result = {reduction->result, reduction->count, reduction->type};
    unpack_contribution(caller, communicator, answer, last, &result);
    struct data_room room = data_make_room(reduction->count, reduction->type);
    struct block operand = {room.buffer, reduction->count, reduction->type};
    for (int member = last - 1; member >= 0; member--) {
        unpack_contribution(caller, communicator, answer, member, &operand);
        data_reduce(operand.buffer, result.buffer, reduction->count, reduction->type, reduction->op);
    }
    free(room.memory);
}

static const struct wire_resolution *contribute(const struct caller *caller, const struct communicator *communicator,
                                                enum wire_pattern pattern, int root, const struct reduction *reduction)
{
    struct block given = {(void *)input_of(reduction), reduction->count, reduction->type};
    collective_enter(caller, communicator, pattern, root, collective_agreement_typed(given.count, given.type, reduction->op), 1);
    collective_add_block(&given);
    return collective_leave(caller, communicator);
}

EXPORT(Reduce)
int MPI_Reduce(const void *input, void *result, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm handle)
{
    ENTER(Reduce, input, result, count, type, op, root, handle);
    struct reduction reduction = {input, result, count, type, op};
    struct communicator *communicator;
    int error = check_communicator(caller, handle, &communicator);
    if (error == MPI_SUCCESS)
        error = check_root(caller, communicator, root);
    if (error != MPI_SUCCESS)
        return error;
    bool is_root = communicator->rank == root;
    error = check_reduction(caller, communicator, &reduction, is_root, is_root);
    if (error != MPI_SUCCESS)
        return error;
    const struct wire_resolution *answer = contribute(caller, communicator, WIRE_FAN_IN, root, &reduction);
    if (is_root)
        fold(caller, communicator, answer, communicator->size - 1, &reduction);
    return MPI_SUCCESS;
}

/* Reductions without a root: member i folds the contributions of 0..last(i); none if that is negative. */
static int reduce_unrooted(const struct caller *caller, MPI_Comm handle, enum wire_pattern pattern,
                           const struct reduction *reduction)
{
    struct communicator *communicator;
    int error = check_communicator(caller, handle, &communicator);
    if (error == MPI_SUCCESS)
        error = check_reduction(caller, communicator, reduction, true, true);
    if (error != MPI_SUCCESS)
        return error;
    const struct wire_resolution *answer = contribute(caller, communicator, pattern, COLLECTIVE_NO_ROOT, reduction);
    int last = communicator->size - 1;
    if (pattern == WIRE_PREFIX)
        last = communicator->rank;
    if (pattern == WIRE_PREFIX_EXCLUSIVE)
        last = communicator->rank - 1;
    if (last >= 0)
        fold(caller, communicator, answer, last, reduction);
    return MPI_SUCCESS;
}

EXPORT(Allreduce)
int MPI_Allreduce(const void *input, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm communicator)
{
    ENTER(Allreduce, input, result, count, type, op, communicator);
    struct reduction reduction = {input, result, count, type, op};
    return reduce_unrooted(caller, communicator, WIRE_ALL_TO_ALL, &reduction);
}

EXPORT(Scan)
int MPI_Scan(const void *input, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm communicator)
{
    ENTER(Scan, input, result, count, type, op, communicator);
    struct reduction reduction = {input, result, count, type, op};
    return reduce_unrooted(caller, communicator, WIRE_PREFIX, &reduction);
}

EXPORT(Exscan)
int MPI_Exscan(const void *input, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm communicator)
{
    ENTER(Exscan, input, result, count, type, op, communicator);
    struct reduction reduction = {input, result, count, type, op};
    return reduce_unrooted(caller, communicator, WIRE_PREFIX_EXCLUSIVE, &reduction);
}

/* Member i gets block i of the result. `blocks` says where the blocks lie in the input (its base is not yet set). */
static int reduce_scatter(const struct caller *caller, struct communicator *communicator, const void *input, void *result,
                          struct blocks *blocks, MPI_Op op, uint64_t agreement)
{
    bool in_place = input == MPI_IN_PLACE;
    blocks->base = in_place ? result : (void *)input;
    int error = check_blocks(caller, communicator, blocks);
    if (error != MPI_SUCCESS)
        return error;
    struct reduction own = {.input = input, .result = result, .type = blocks->type, .op = op,
                            .count = block_of(blocks, communicator->rank).count};
    error = check_reduction(caller, communicator, &own, true, true);
    if (error != MPI_SUCCESS)
        return error;
    collective_enter(caller, communicator, WIRE_ALL_TO_ALL, COLLECTIVE_NO_ROOT, agreement, communicator->size);
    collective_add_blocks(communicator, blocks);
    const struct wire_resolution *answer = collective_leave(caller, communicator);
    fold(caller, communicator, answer, communicator->size - 1, &own);
    return MPI_SUCCESS;
}

EXPORT(Reduce_scatter_block)
int MPI_Reduce_scatter_block(const void *input, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm handle)
{
    ENTER(Reduce_scatter_block, input, result, count, type, op, handle);
    struct communicator *communicator;
    int error = check_communicator(caller, handle, &communicator);
    if (error == MPI_SUCCESS)
        error = check_data(caller, communicator, result, count, type);
    if (error != MPI_SUCCESS)
        return error;
    struct blocks blocks = {.count = count, .type = type};
    uint64_t agreement = collective_agreement_typed(count, type, op);
    return reduce_scatter(caller, communicator, input, result, &blocks, op, agreement);
}

EXPORT(Reduce_scatter)
int MPI_Reduce_scatter(const void *input, void *result, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm handle)
{
    ENTER(Reduce_scatter, input, result, counts, type, op, handle);
    struct communicator *communicator;
    int error = check_communicator(caller, handle, &communicator);
    if (error == MPI_SUCCESS)
        error = check_data(caller, communicator, result, counts[communicator->rank], type);
    if (error != MPI_SUCCESS)
        return error;
    int size = communicator->size;
    int *displacements = calloc((size_t)size, sizeof *displacements);
    for (int i = 1; i < size; i++)
        displacements[i] = displacements[i - 1] + counts[i - 1];
    struct blocks blocks = {.counts = counts, .displacements = displacements, .type = type};
    uint64_t agreement = collective_agreement_counts(counts, size, type, op);
    error = reduce_scatter(caller, communicator, input, result, &blocks, op, agreement);
    free(displacements);
    return error;
}
