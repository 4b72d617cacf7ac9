#include "models/mpi/preload/datatypes/data.h"

#include "models/mpi/preload/buffers/pending_leftovers.h"
#include "models/mpi/preload/collectives/operators.h"
#include "models/mpi/preload/objects.h"
#include "models/mpi/preload/process/freed_objects.h"

#include "models/mpi/preload/rank.h"

#include <stdlib.h>
#include <string.h>

/* A communicator of our own, for the MPICH functions that want one. It returns errors whatever the program's own do. */
static MPI_Comm packing;

void data_start(void) {
    REAL(Comm_split)(MPI_COMM_SELF, 0, 0, &packing);
    REAL(Comm_set_errhandler)(packing, MPI_ERRORS_RETURN);
}

bool data_type_usable(MPI_Datatype type) {
    MPI_Count size;
    return REAL(Pack_size_c)(1, type, packing, &size) == MPI_SUCCESS;
}

static bool taken_by_mpich(MPI_Op op, MPI_Datatype type) {
    long double nothing = 0;
    long double same = 0;
    return REAL(Reduce_local)(&nothing, &same, 0, type, op) == MPI_SUCCESS;
}

/* Logical operators are for integers and logicals (MPI-3.1 section 5.9.2). MPICH takes them for floating-point numbers as well, and
 * then aborts for some of these types. Such numbers have a maximum, and no bits to combine. */
static bool forbidden_by_standard(MPI_Op op, MPI_Datatype type) {
    bool is_logical = op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR;
    return is_logical && taken_by_mpich(MPI_MAX, type) && !taken_by_mpich(MPI_BAND, type);
}

/* MPICH reports errors of functions without a communicator to MPI_COMM_SELF or, in older versions, to MPI_COMM_WORLD. */
bool data_operator_usable(MPI_Op op, MPI_Datatype type) {
    const MPI_Comm reporting[] = {MPI_COMM_SELF, MPI_COMM_WORLD};
    MPI_Errhandler handler[2];
    for (int i = 0; i < 2; i++) {
        REAL(Comm_get_errhandler)(reporting[i], &handler[i]);
        REAL(Comm_set_errhandler)(reporting[i], MPI_ERRORS_RETURN);
    }
    bool usable = taken_by_mpich(op, type) && !forbidden_by_standard(op, type);
    for (int i = 0; i < 2; i++) {
        REAL(Comm_set_errhandler)(reporting[i], handler[i]);
        if (!real_is_predefined(handler[i]))
            REAL(Errhandler_free)(&handler[i]);
    }
    return usable;
}

bool data_reduces_in_any_order(MPI_Op op, MPI_Datatype type) {
    const MPI_Op exact[] = {MPI_MAX, MPI_MIN, MPI_SUM, MPI_PROD, MPI_LAND, MPI_BAND, MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR};
    size_t i = 0;
    while (i < sizeof exact / sizeof *exact && exact[i] != op)
        i++;
    return i < sizeof exact / sizeof *exact && data_operator_usable(MPI_BAND, type); /* only integers have bits */
}

size_t data_size(MPI_Datatype type) {
    MPI_Count size = 0;
    REAL(Type_size_x)(type, &size);
    return (size_t)size;
}

ptrdiff_t data_extent(MPI_Datatype type) {
    MPI_Count lower_bound = 0;
    MPI_Count extent = 0;
    REAL(Type_get_extent_x)(type, &lower_bound, &extent);
    return (ptrdiff_t)extent;
}

void *data_element(const void *buffer, ptrdiff_t index, MPI_Datatype type) {
    return (char *)buffer + index * data_extent(type);
}

bool data_is_plain(MPI_Datatype type) { return real_is_predefined(type) && (size_t)data_extent(type) == data_size(type); }

struct data_anchored data_anchor(const void *buffer, MPI_Count count, MPI_Datatype type) {
    struct data_anchored anchored = {(void *)buffer, count, type, buffer == MPI_BOTTOM};
    if (!anchored.is_made)
        return anchored;
    anchored.buffer = &packing;
    anchored.count = 1;
    const MPI_Count back = -(MPI_Count)(intptr_t)anchored.buffer;
    REAL(Type_create_hindexed_block_c)(1, count, &back, type, &anchored.type);
    REAL(Type_commit)(&anchored.type);
    return anchored;
}

void data_anchored_done(struct data_anchored *anchored) {
    if (anchored->is_made)
        freed_type(&anchored->type);
}

void data_pack(void *bytes, const void *buffer, MPI_Count count, MPI_Datatype type) {
    size_t size = (size_t)count * data_size(type);
    if (size == 0)
        return;
    if (data_is_plain(type)) {
        memcpy(bytes, buffer, size);
        return;
    }
    MPI_Count position = 0;
    struct data_anchored from = data_anchor(buffer, count, type);
    REAL(Pack_c)(from.buffer, from.count, from.type, bytes, (MPI_Count)size, &position, packing);
    data_anchored_done(&from);
}

/* The last element may be there in part: what is beyond the message is not touched. */
void data_unpack(void *buffer, MPI_Datatype type, const void *bytes, size_t size) {
    if (size == 0)
        return;
    if (data_is_plain(type)) {
        memcpy(buffer, bytes, size);
        return;
    }
    size_t element = data_size(type);
    MPI_Count position = 0;
    struct data_anchored to = data_anchor(buffer, (MPI_Count)((size + element - 1) / element), type);
    REAL(Unpack_c)(bytes, (MPI_Count)size, &position, to.buffer, to.count, to.type, packing);
    data_anchored_done(&to);
}

void data_add_part(const void *buffer, MPI_Count count, MPI_Datatype type) {
    void *bytes = rank_add_part((size_t)count * data_size(type));
    data_pack(bytes, buffer, count, type);
}

MPI_Datatype data_hold_type(MPI_Datatype type) {
    if (real_is_predefined(type))
        return type;
    MPI_Datatype held = MPI_DATATYPE_NULL;
    REAL(Type_dup)(type, &held);
    object_made_permanent(OBJECT_DATATYPE, held); /* the program's operators are given it */
    return held;
}

void data_release_type(MPI_Datatype type) {
    if (real_is_predefined(type))
        return;
    object_freed(OBJECT_DATATYPE, type);
    freed_type(&type);
}

struct data_room data_make_room(MPI_Count count, MPI_Datatype type) {
    MPI_Count lower_bound = 0;
    MPI_Count extent = 0;
    REAL(Type_get_true_extent_x)(type, &lower_bound, &extent);
    ptrdiff_t step = data_extent(type);
    size_t distance = count > 1 ? (size_t)(count - 1) * (size_t)labs(step) : 0;
    struct data_room room = {.memory = calloc(1, distance + (size_t)extent + 1)};
    /* With a negative extent the elements go downwards from the last one's place. */
    room.buffer = (char *)room.memory + (step < 0 ? distance : 0) - lower_bound;
    return room;
}

void data_reduce(const void *operand, void *accumulator, MPI_Count count, MPI_Datatype type, MPI_Op op) {
    if (!real_is_predefined(op))
        pending_leftovers_note_callback();
    operator_begin(__builtin_frame_address(0));
    REAL(Reduce_local_c)(operand, accumulator, count, type, op);
    operator_end();
}
