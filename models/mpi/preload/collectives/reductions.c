/* Collectives that compute. Each member gives its packed contribution; whoever needs a result folds the contributions itself,
 * from the right, so that operators that do not commute see them in rank order:
 *
 *     c[0] op (c[1] op (... op c[n-1]))
 */
#include "models/mpi/functions.h"
#include "models/mpi/preload/buffers/buffer_room.h"
#include "models/mpi/preload/buffers/disjoint_buffers.h"
#include "models/mpi/preload/collectives/collective_data.h"
#include "models/mpi/preload/datatypes/data.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/window_received.h"

#include <stdlib.h>

/* What the program asked for. */
struct reduction {
    const void *input; /* may be MPI_IN_PLACE */
    void *result;
    MPI_Count count;
    MPI_Datatype type;
    MPI_Op op;
};

static int check_distinct(const struct caller *caller, const struct communicator *communicator,
                          const struct reduction *reduction, MPI_Count result_count) {
    const struct block input = {(void *)reduction->input, reduction->count, reduction->type};
    const struct blocks result = equal_blocks(reduction->result, result_count, reduction->type);
    if (reduction->count > 0 && reduction->input == reduction->result && reduction->input != MPI_BOTTOM)
        return reject(caller, communicator->handle, MPI_ERR_BUFFER, "the same buffer for input and result");
    return check_disjoint_block(caller, communicator, &input, &result, 1);
}

/* A process that has both an input and a result may have both in one place, but not on an intercommunicator. */
static int check_reduction(const struct caller *caller, const struct communicator *communicator,
                           const struct reduction *reduction, bool has_input, bool has_result) {
    bool in_place = has_input && has_result && reduction->input == MPI_IN_PLACE && !communicator_is_inter(communicator);
    int error = MPI_SUCCESS;
    if (has_input && !in_place)
        error = check_data(caller, communicator, reduction->input, reduction->count, reduction->type);
    if (error == MPI_SUCCESS && has_result)
        error = check_data(caller, communicator, reduction->result, reduction->count, reduction->type);
    if (error != MPI_SUCCESS)
        return error;
    if (has_input && !in_place)
        require_room(caller, reduction->input, reduction->count, reduction->type);
    if (has_result)
        require_room(caller, reduction->result, reduction->count, reduction->type);
    if (has_input && has_result)
        error = check_distinct(caller, communicator, reduction, reduction->count);
    if (error != MPI_SUCCESS)
        return error;
    return check_operator(caller, communicator->handle, reduction->op, reduction->type);
}

static const void *input_of(const struct reduction *reduction) {
    return reduction->input == MPI_IN_PLACE ? reduction->result : reduction->input;
}

static void unpack_contribution(const struct collective *collective, int member, struct collective_part part,
                                const struct block *block) {
    size_t needed = collective->skip + block_size(block);
    if (part.size < needed)
        collective_mismatch(collective, communicator_peer(collective->communicator, member),
                            "%s combines %zu bytes, but rank %d contributed %zu", function_name(collective->caller.function),
                            needed, communicator_peer(collective->communicator, member), part.size);
    data_unpack(block->buffer, block->type, (const char *)part.bytes + collective->skip, block_size(block));
}

/* block = the contributions of members 0..last. */
static void fold(const struct collective *collective, struct collective_answer *answer) {
    struct block result = collective->block;
    if (block_size(&result) == 0)
        return; /* not everybody need have entered */
    const int last = collective->last;
    struct collective_part *part = malloc(((size_t)last + 1) * sizeof *part);
    for (int member = 0; member <= last; member++)
        part[member] = collective_part(answer, member);
    unpack_contribution(collective, last, part[last], &result);
    struct data_room room = data_make_room(result.count, result.type);
    struct block operand = {room.buffer, result.count, result.type};
    for (int member = last - 1; member >= 0; member--) {
        unpack_contribution(collective, member, part[member], &operand);
        data_reduce(operand.buffer, result.buffer, result.count, result.type, collective->op);
    }
    free(room.memory);
    free(part);
    windows_note_received(result.buffer, result.type, block_size(&result));
}

/* The contributions of members 0..last give the result. */
static void take_fold(struct collective *collective, const struct reduction *reduction, int last) {
    collective->take = fold;
    collective->block = (struct block){reduction->result, reduction->count, reduction->type};
    collective->op = reduction->op;
    collective->last = last;
    collective->unordered = data_reduces_in_any_order(reduction->op, reduction->type);
}

static void agree_on(struct collective *collective, const struct reduction *reduction) {
    uint64_t size = (uint64_t)reduction->count * data_size(reduction->type);
    collective_agree_on_types(collective, reduction->count, reduction->type);
    collective_agree_on_elements(collective, reduction->count);
    collective->agreement = collective_agreement(size, reduction->op);
    collective->is_empty = size == 0;
}

static void give_contribution(struct collective *collective, const struct block *given) {
    collective->give = collective_give_contribution;
    collective->given = *given;
    collective->parts = 1;
}

/* Scans may be in place at one member alone (MPI-3.1 sections 5.9.6 and 5.11). */
static bool in_place_for_all(const struct collective *collective, const struct reduction *reduction) {
    return reduction->input == MPI_IN_PLACE && collective->pattern == WIRE_ALL_TO_ALL;
}

static void contribute(struct collective *collective, const struct reduction *reduction) {
    struct block given = {(void *)input_of(reduction), reduction->count, reduction->type};
    agree_on(collective, reduction);
    collective->agreement ^= in_place_for_all(collective, reduction) ? WIRE_IN_PLACE : 0;
    give_contribution(collective, &given);
    collective_run(collective);
}

#define REDUCE(number, numbers) \
    const void *input, void *result, number count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm handle
COLLECTIVE(Reduce, Ireduce, REDUCE, (input, result, count, type, op, root, handle)) {
    struct reduction reduction = {input, result, count, type, op};
    struct collective collective = {.caller = *caller, .pattern = WIRE_FAN_IN, .root = root, .manner = manner};
    int error = check_communicator(caller, handle, &collective.communicator);
    if (error == MPI_SUCCESS)
        error = check_root(caller, collective.communicator, root);
    if (error != MPI_SUCCESS)
        return error;
    bool is_root = collective_is_root(&collective);
    bool is_leaf = collective_is_leaf(&collective);
    if (is_root || is_leaf)
        error = check_reduction(caller, collective.communicator, &reduction, is_leaf, is_root);
    if (error != MPI_SUCCESS)
        return error;
    if (is_root)
        take_fold(&collective, &reduction, communicator_peers(collective.communicator) - 1);
    if (is_leaf) {
        contribute(&collective, &reduction);
        return MPI_SUCCESS;
    }
    if (is_root)
        agree_on(&collective, &reduction);
    collective_run(&collective);
    return MPI_SUCCESS;
}

/* Reductions without a root: member i folds the contributions of 0..last(i); none if that is negative. */
static int reduce_unrooted(const struct caller *caller, MPI_Comm handle, enum wire_pattern pattern,
                           const struct reduction *reduction, struct manner manner) {
    struct collective collective = {.caller = *caller, .pattern = pattern, .root = COLLECTIVE_NO_ROOT, .manner = manner};
    int error = check_communicator(caller, handle, &collective.communicator);
    if (error == MPI_SUCCESS && pattern != WIRE_ALL_TO_ALL)
        error = check_intracommunicator(caller, collective.communicator);
    if (error != MPI_SUCCESS)
        return error;
    int last = communicator_peers(collective.communicator) - 1;
    if (pattern == WIRE_PREFIX)
        last = collective.communicator->rank;
    if (pattern == WIRE_PREFIX_EXCLUSIVE)
        last = collective.communicator->rank - 1;
    /* The first member's result of MPI_Exscan is not significant (MPI-3.1 5.11.2). */
    bool has_result = last >= 0 || reduction->input == MPI_IN_PLACE;
    error = check_reduction(caller, collective.communicator, reduction, true, has_result);
    if (error != MPI_SUCCESS)
        return error;
    if (last >= 0)
        take_fold(&collective, reduction, last);
    contribute(&collective, reduction);
    return MPI_SUCCESS;
}

#define ALLREDUCE(number, numbers) const void *input, void *result, number count, MPI_Datatype type, MPI_Op op, MPI_Comm handle
COLLECTIVE(Allreduce, Iallreduce, ALLREDUCE, (input, result, count, type, op, handle)) {
    struct reduction reduction = {input, result, count, type, op};
    return reduce_unrooted(caller, handle, WIRE_ALL_TO_ALL, &reduction, manner);
}

#define SCAN(number, numbers) const void *input, void *result, number count, MPI_Datatype type, MPI_Op op, MPI_Comm handle
COLLECTIVE(Scan, Iscan, SCAN, (input, result, count, type, op, handle)) {
    struct reduction reduction = {input, result, count, type, op};
    return reduce_unrooted(caller, handle, WIRE_PREFIX, &reduction, manner);
}

#define EXSCAN(number, numbers) const void *input, void *result, number count, MPI_Datatype type, MPI_Op op, MPI_Comm handle
COLLECTIVE(Exscan, Iexscan, EXSCAN, (input, result, count, type, op, handle)) {
    struct reduction reduction = {input, result, count, type, op};
    return reduce_unrooted(caller, handle, WIRE_PREFIX_EXCLUSIVE, &reduction, manner);
}

/* Member i gets block i of the result; of `shares` only the counts matter. Elements of the shares of members 0..end-1: */
static MPI_Count shares_before(const struct blocks *shares, int end) {
    MPI_Count sum = 0;
    for (int i = 0; i < end; i++)
        sum += block_count(shares, i);
    return sum;
}

static int check_shares(const struct caller *caller, const struct communicator *communicator, const struct blocks *shares) {
    if (shares->varying && shares->counts.small == NULL)
        return reject(caller, communicator->handle, MPI_ERR_ARG, "a null array of counts");
    for (int i = 0; i < communicator->size; i++) {
        int error = check_count(caller, communicator->handle, block_count(shares, i));
        if (error != MPI_SUCCESS)
            return error;
    }
    return MPI_SUCCESS;
}

/* The input has `reduction`'s count, the result this one. In place both are in the result buffer. */
static int check_scattered(const struct caller *caller, const struct communicator *communicator,
                           const struct reduction *reduction, MPI_Count result_count) {
    if (reduction->input == MPI_IN_PLACE && !communicator_is_inter(communicator))
        return check_reduction(caller, communicator, reduction, true, true);
    int error = check_reduction(caller, communicator, reduction, true, false);
    if (error == MPI_SUCCESS)
        error = check_data(caller, communicator, reduction->result, result_count, reduction->type);
    if (error == MPI_SUCCESS)
        require_room(caller, reduction->result, result_count, reduction->type);
    return error == MPI_SUCCESS ? check_distinct(caller, communicator, reduction, result_count) : error;
}

/* Each member is given its share of the input: those of whom nobody wants anything need not be waited for. */
static void give_shares(const struct collective *collective) {
    MPI_Count before = 0;
    for (int member = 0; member < collective->block_count; member++) {
        struct block share = collective->given;
        share.buffer = data_element(share.buffer, before, share.type);
        share.count = block_count(&collective->blocks, member);
        collective_add_contribution(&share);
        before += share.count;
    }
}

static bool has_no_share(const struct collective *collective, int member) {
    (void)member;
    return block_size(&collective->block) == 0;
}

/* Everybody takes its share of what each gives. Between groups everybody gives the whole input, as the members of the other one may
 * share it out differently: only the sum of the counts must agree. */
static int reduce_scatter(const struct caller *caller, MPI_Comm handle, struct reduction reduction, const struct blocks *shares,
                          struct manner manner) {
    struct collective collective = collective_of_all(caller, NULL);
    int error = check_communicator(caller, handle, &collective.communicator);
    const struct communicator *communicator = collective.communicator;
    if (error == MPI_SUCCESS)
        error = check_shares(caller, communicator, shares);
    if (error != MPI_SUCCESS)
        return error;
    int size = communicator->size;
    reduction.count = shares_before(shares, size);
    struct reduction own = reduction;
    own.count = block_count(shares, communicator->rank);
    error = check_scattered(caller, communicator, &reduction, own.count);
    if (error != MPI_SUCCESS)
        return error;
    take_fold(&collective, &own, communicator_peers(communicator) - 1);
    collective.blocks = *shares;
    collective.block_count = size;
    collective.manner = manner;
    agree_on(&collective, &reduction);
    struct block given = {(void *)input_of(&reduction), reduction.count, reduction.type};
    give_contribution(&collective, &given);
    if (communicator_is_inter(communicator)) {
        collective.skip = (uint64_t)shares_before(shares, communicator->rank) * data_size(reduction.type);
    } else {
        if (!blocks_are_alike(shares))
            collective.agreement = collective_agreement_counts(shares, size, data_size(reduction.type), reduction.op);
        collective.give = give_shares;
        collective.parts = size;
    }
    collective.is_empty_from = has_no_share;
    collective_run(&collective);
    return MPI_SUCCESS;
}

#define REDUCE_SCATTER_BLOCK(number, numbers) \
    const void *input, void *result, number count, MPI_Datatype type, MPI_Op op, MPI_Comm handle
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, REDUCE_SCATTER_BLOCK, (input, result, count, type, op, handle)) {
    struct reduction reduction = {.input = input, .result = result, .type = type, .op = op};
    struct blocks shares = {.count = count};
    return reduce_scatter(caller, handle, reduction, &shares, manner);
}

#define REDUCE_SCATTER(number, numbers) \
    const void *input, void *result, numbers counts, MPI_Datatype type, MPI_Op op, MPI_Comm handle
COLLECTIVE(Reduce_scatter, Ireduce_scatter, REDUCE_SCATTER, (input, result, counts, type, op, handle)) {
    struct reduction reduction = {.input = input, .result = result, .type = type, .op = op};
    struct blocks shares = {.varying = true, .counts = counts, .large = manner.large};
    return reduce_scatter(caller, handle, reduction, &shares, manner);
}
