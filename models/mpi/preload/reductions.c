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

static void unpack_contribution(const struct collective *collective, const struct collective_answer *answer, int member,
                                const struct block *block)
{
    const struct caller *caller = &collective->caller;
    size_t given = collective_part(answer, member).size;
    if (given < block_size(block))
        rank_violation("collective-mismatch", caller->function, caller->site,
                       "%s combines %llu bytes, but rank %d contributed %zu", function_name(caller->function),
                       (unsigned long long)block_size(block), collective->communicator->world[member], given);
    collective_take_from(collective, answer, member, block);
}

/* block = the contributions of members 0..last. */
static void fold(const struct collective *collective, const struct collective_answer *answer)
{
    struct block result = collective->block;
    unpack_contribution(collective, answer, collective->last, &result);
    struct data_room room = data_make_room(result.count, result.type);
    struct block operand = {room.buffer, result.count, result.type};
    for (int member = collective->last - 1; member >= 0; member--) {
        unpack_contribution(collective, answer, member, &operand);
        data_reduce(operand.buffer, result.buffer, result.count, result.type, collective->op);
    }
    free(room.memory);
}

/* The contributions of members 0..last give the result. */
static void take_fold(struct collective *collective, const struct reduction *reduction, int last)
{
    collective->take = fold;
    collective->block = (struct block){reduction->result, reduction->count, reduction->type};
    collective->op = reduction->op;
    collective->last = last;
}

static void contribute(struct collective *collective, const struct reduction *reduction)
{
    struct block given = {(void *)input_of(reduction), reduction->count, reduction->type};
    collective->agreement = collective_agreement(block_size(&given), reduction->op);
    collective_enter(collective, 1);
    collective_add_block(&given);
    collective_finish(collective);
}

COLLECTIVE(Reduce, Ireduce,
           (const void *input, void *result, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm handle),
           (input, result, count, type, op, root, handle))
{
    struct reduction reduction = {input, result, count, type, op};
    struct collective collective = {.caller = *caller, .pattern = WIRE_FAN_IN, .root = root, .request = request};
    int error = check_communicator(caller, handle, &collective.communicator);
    if (error == MPI_SUCCESS)
        error = check_root(caller, collective.communicator, root);
    if (error != MPI_SUCCESS)
        return error;
    bool is_root = collective.communicator->rank == root;
    error = check_reduction(caller, collective.communicator, &reduction, is_root, is_root);
    if (error != MPI_SUCCESS)
        return error;
    if (is_root)
        take_fold(&collective, &reduction, collective.communicator->size - 1);
    contribute(&collective, &reduction);
    return MPI_SUCCESS;
}

/* Reductions without a root: member i folds the contributions of 0..last(i); none if that is negative. */
static int reduce_unrooted(const struct caller *caller, MPI_Comm handle, enum wire_pattern pattern,
                           const struct reduction *reduction, MPI_Request *request)
{
    struct collective collective = {
        .caller = *caller, .pattern = pattern, .root = COLLECTIVE_NO_ROOT, .request = request};
    int error = check_communicator(caller, handle, &collective.communicator);
    if (error == MPI_SUCCESS)
        error = check_reduction(caller, collective.communicator, reduction, true, true);
    if (error != MPI_SUCCESS)
        return error;
    int last = collective.communicator->size - 1;
    if (pattern == WIRE_PREFIX)
        last = collective.communicator->rank;
    if (pattern == WIRE_PREFIX_EXCLUSIVE)
        last = collective.communicator->rank - 1;
    if (last >= 0)
        take_fold(&collective, reduction, last);
    contribute(&collective, reduction);
    return MPI_SUCCESS;
}

COLLECTIVE(Allreduce, Iallreduce,
           (const void *input, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm handle),
           (input, result, count, type, op, handle))
{
    struct reduction reduction = {input, result, count, type, op};
    return reduce_unrooted(caller, handle, WIRE_ALL_TO_ALL, &reduction, request);
}

COLLECTIVE(Scan, Iscan, (const void *input, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm handle),
           (input, result, count, type, op, handle))
{
    struct reduction reduction = {input, result, count, type, op};
    return reduce_unrooted(caller, handle, WIRE_PREFIX, &reduction, request);
}

COLLECTIVE(Exscan, Iexscan, (const void *input, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm handle),
           (input, result, count, type, op, handle))
{
    struct reduction reduction = {input, result, count, type, op};
    return reduce_unrooted(caller, handle, WIRE_PREFIX_EXCLUSIVE, &reduction, request);
}

/* Member i gets block i of the result. `blocks` says where the blocks lie in the input (its base is not yet set). */
static int reduce_scatter(struct collective *collective, const void *input, void *result, struct blocks *blocks, MPI_Op op)
{
    const struct caller *caller = &collective->caller;
    struct communicator *communicator = collective->communicator;
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
    take_fold(collective, &own, communicator->size - 1);
    collective_enter(collective, communicator->size);
    collective_add_blocks(communicator, blocks);
    collective_finish(collective);
    return MPI_SUCCESS;
}

COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block,
           (const void *input, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm handle),
           (input, result, count, type, op, handle))
{
    struct collective collective = collective_of_all(caller, NULL);
    collective.request = request;
    int error = check_communicator(caller, handle, &collective.communicator);
    if (error == MPI_SUCCESS)
        error = check_data(caller, collective.communicator, result, count, type);
    if (error != MPI_SUCCESS)
        return error;
    struct blocks blocks = {.count = count, .type = type};
    collective.agreement = collective_agreement((uint64_t)count * data_size(type), op);
    return reduce_scatter(&collective, input, result, &blocks, op);
}

COLLECTIVE(Reduce_scatter, Ireduce_scatter,
           (const void *input, void *result, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm handle),
           (input, result, counts, type, op, handle))
{
    struct collective collective = collective_of_all(caller, NULL);
    collective.request = request;
    int error = check_communicator(caller, handle, &collective.communicator);
    if (error == MPI_SUCCESS)
        error = check_data(caller, collective.communicator, result, counts[collective.communicator->rank], type);
    if (error != MPI_SUCCESS)
        return error;
    int size = collective.communicator->size;
    int *displacements = calloc((size_t)size, sizeof *displacements);
    for (int i = 1; i < size; i++)
        displacements[i] = displacements[i - 1] + counts[i - 1];
    struct blocks blocks = {.counts = counts, .displacements = displacements, .type = type};
    collective.agreement = collective_agreement_counts(counts, size, data_size(type), op);
    error = reduce_scatter(&collective, input, result, &blocks, op);
    free(displacements);
    return error;
}
