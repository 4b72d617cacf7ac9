#include "models/mpi/preload/windows/window_arguments.h"

#include "models/mpi/functions.h"
#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/buffers/buffer_room.h"
#include "models/mpi/preload/buffers/disjoint_buffers.h"
#include "models/mpi/preload/datatypes/data_layout.h"
#include "models/mpi/preload/datatypes/type_signatures.h"
#include "models/mpi/preload/rank.h"

static int check_buffer(const struct caller *caller, const struct window *window, const struct issued_buffer *buffer) {
    if (buffer->type == NO_TYPE)
        return MPI_SUCCESS;
    struct data_fault fault = data_fault(buffer->address, buffer->count, buffer->type);
    if (fault.error_class == MPI_SUCCESS)
        return MPI_SUCCESS;
    return window_reject(caller, window, fault.error_class, "invalid-argument", "%s", fault.reason);
}

/* Is there an epoch in which this process may access the target's window? */
static int check_epoch(const struct caller *caller, const struct window *window, int target) {
    switch (window->epoch) {
    case EPOCH_FENCE:
    case EPOCH_LOCK_ALL: return MPI_SUCCESS;
    case EPOCH_START:
        if (window->target[target].in_access_group)
            return MPI_SUCCESS;
        return window_reject(caller, window, MPI_ERR_RMA_SYNC, "rma-epoch",
                             "target %d, which is not in the group given to MPI_Win_start", target);
    case EPOCH_LOCK:
        if (window->target[target].lock != 0)
            return MPI_SUCCESS;
        return window_reject(caller, window, MPI_ERR_RMA_SYNC, "rma-epoch", "target %d, whose window is not locked", target);
    default: break;
    }
    return window_reject(caller, window, MPI_ERR_RMA_SYNC, "rma-epoch", "no epoch open: no fence, start or lock precedes it");
}

static int check_accumulation(const struct caller *caller, const struct window *window, const struct wanted *wanted,
                              MPI_Datatype basic) {
    if (!real_is_predefined(wanted->op) || wanted->op == MPI_OP_NULL)
        return window_reject(caller, window, MPI_ERR_OP, "invalid-argument", "an operator that is not predefined");
    if (wanted->op == MPI_NO_OP && wanted->result.type == NO_TYPE)
        return window_reject(caller, window, MPI_ERR_OP, "invalid-argument",
                             "MPI_NO_OP, which is for functions that fetch something");
    if (basic == MPI_DATATYPE_NULL)
        return window_reject(caller, window, MPI_ERR_TYPE, "invalid-argument",
                             "a datatype that consists of different predefined ones");
    if (wanted->op != MPI_REPLACE && wanted->op != MPI_NO_OP && !data_operator_usable(wanted->op, basic))
        return window_reject(caller, window, MPI_ERR_OP, "invalid-argument", "an operator that does not apply to the datatype");
    return MPI_SUCCESS;
}

/* As in messages, what takes the data may be longer: the target of a put, the origin of a get. */
static bool is_length_right(uint8_t kind, uint64_t here, uint64_t there) {
    return here == there || (kind == ACCESS_PUT && here < there) || (kind == ACCESS_GET && here > there);
}

/* Of a buffer as long as what is accessed at the target that is known; else if both consist of one basic type. */
static bool are_types_right(const struct wanted *wanted, const struct issued_buffer *buffer) {
    if (buffer_bytes(buffer) != wanted_bytes(wanted)) {
        MPI_Datatype here = data_basic_type(buffer->type), there = data_basic_type(wanted->type);
        return here == there || here == MPI_DATATYPE_NULL || there == MPI_DATATYPE_NULL;
    }
    uint64_t signature = type_signature_whole(buffer->count, buffer->type);
    uint64_t target = type_signature_whole(wanted->count, wanted->type);
    return signature == target || signature == 0 || target == 0;
}

/* A buffer must have the type signature of what is accessed at the target. */
static void require_match(const struct caller *caller, const struct wanted *wanted, const struct issued_buffer *buffer) {
    if (buffer->type == NO_TYPE || (buffer->type == wanted->type && buffer->count == wanted->count))
        return;
    uint64_t here = buffer_bytes(buffer);
    uint64_t there = wanted_bytes(wanted);
    if (!is_length_right(wanted->kind, here, there))
        rank_violation("type-mismatch", caller->function, caller->site,
                       "%s was called with %llu bytes at the origin and %llu at the target", function_name(caller->function),
                       (unsigned long long)here, (unsigned long long)there);
    if (!are_types_right(wanted, buffer))
        rank_violation("type-mismatch", caller->function, caller->site,
                       "%s was called with other basic types at the origin than at the target",
                       function_name(caller->function));
}

static void require_rooms(const struct caller *caller, const struct wanted *wanted) {
    const struct issued_buffer *const buffer[] = {&wanted->given, &wanted->compared, &wanted->result};
    for (int i = 0; i < 3; i++) {
        if (buffer[i]->type != NO_TYPE)
            require_room(caller, buffer[i]->address, buffer[i]->count, buffer[i]->type);
    }
}

static int check_buffers(const struct caller *caller, const struct window *window, const struct wanted *wanted) {
    const struct issued_buffer *const buffer[] = {&wanted->given, &wanted->compared, &wanted->result};
    int error = MPI_SUCCESS;
    for (int i = 0; i < 3 && error == MPI_SUCCESS; i++)
        error = check_buffer(caller, window, buffer[i]);
    return error;
}

/* MPI_Fetch_and_op and MPI_Compare_and_swap, the latter of integers, logicals and bytes. */
static int check_single(const struct caller *caller, const struct window *window, const struct wanted *wanted) {
    bool swaps = wanted->kind == ACCESS_COMPARE_AND_SWAP;
    bool is_single = swaps || caller->function == FUNCTION_MPI_Fetch_and_op;
    if (is_single && data_basic_type(wanted->type) != wanted->type)
        return window_reject(caller, window, MPI_ERR_TYPE, "invalid-argument", "a datatype that is not predefined");
    if (swaps && wanted->type != MPI_LOGICAL && !data_operator_usable(MPI_BAND, wanted->type))
        return window_reject(caller, window, MPI_ERR_TYPE, "invalid-argument",
                             "a datatype of neither integers nor logicals nor bytes");
    return MPI_SUCCESS;
}

/* Neither the bytes that an access changes at the target nor those of a result may be written twice (MPI-3.1 section 11.3). */
static int check_entries(const struct caller *caller, const struct window *window, const struct wanted *wanted) {
    const struct issued_buffer *result = &wanted->result;
    if (result->type != NO_TYPE && elements_overlap(result->address, result->count, result->type))
        return window_reject(caller, window, MPI_ERR_TYPE, "invalid-argument",
                             "a datatype for the result that has entries which overlap");
    if (wanted->kind != ACCESS_GET && elements_overlap(NULL, wanted->count, wanted->type))
        return window_reject(caller, window, MPI_ERR_TYPE, "invalid-argument",
                             "a datatype at the target that has entries which overlap");
    return MPI_SUCCESS;
}

static bool overlap(const struct issued_buffer *one, const struct issued_buffer *other) {
    if (one->type == NO_TYPE || other->type == NO_TYPE)
        return false;
    const struct block first = {one->address, one->count, one->type};
    const struct block second = {other->address, other->count, other->type};
    return blocks_overlap(&first, &second);
}

int check_wanted(const struct caller *caller, const struct window *window, const struct wanted *wanted) {
    int error = check_buffers(caller, window, wanted);
    if (error != MPI_SUCCESS)
        return error;
    if (wanted->target < 0 || wanted->target >= window->communicator->size)
        return window_reject(caller, window, MPI_ERR_RANK, "invalid-argument", "target %d in a group of size %d",
                             wanted->target, window->communicator->size);
    const struct issued_buffer at_target = {(void *)window, wanted->count, wanted->type}; /* the address is not ours to check */
    error = check_buffer(caller, window, &at_target);
    if (error == MPI_SUCCESS)
        error = check_single(caller, window, wanted);
    if (error == MPI_SUCCESS)
        error = check_epoch(caller, window, wanted->target);
    bool touches = error == MPI_SUCCESS && buffer_bytes(&at_target) > 0;
    if (touches && wanted->kind == ACCESS_ACCUMULATE)
        error = check_accumulation(caller, window, wanted, data_basic_type(wanted->type));
    if (touches && error == MPI_SUCCESS)
        error = check_entries(caller, window, wanted);
    if (error != MPI_SUCCESS)
        return error;
    require_match(caller, wanted, &wanted->given);
    require_match(caller, wanted, &wanted->result);
    require_rooms(caller, wanted);
    if (overlap(&wanted->given, &wanted->result) || overlap(&wanted->compared, &wanted->result))
        return window_reject(caller, window, MPI_ERR_BUFFER, "invalid-argument",
                             "a buffer for the result that overlaps what is given");
    return MPI_SUCCESS;
}

/* The memory of a dynamic window is known to its target alone. */
int check_bounds(const struct caller *caller, const struct window *window, int target, const struct access_run *run,
                 uint64_t runs) {
    int64_t size = (int64_t)window->target[target].size;
    for (uint64_t i = 0; i < runs && window->flavor != MPI_WIN_FLAVOR_DYNAMIC; i++) {
        int64_t end = run[i].offset + (int64_t)run[i].length;
        if (run[i].offset < 0 || end > size)
            return window_reject(caller, window, MPI_ERR_RMA_RANGE, "invalid-argument",
                                 "bytes %lld to %lld of the window of rank %d, which has %lld", (long long)run[i].offset,
                                 (long long)end - 1, window->communicator->world[target], (long long)size);
    }
    return MPI_SUCCESS;
}
