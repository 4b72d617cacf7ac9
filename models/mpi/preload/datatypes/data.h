/* Message data: the program's typed buffers to bytes and back. MPICH packs without any header, so the bytes of `count`
 * elements are count * data_size(type) long. */
#ifndef MODELS_MPI_PRELOAD_DATA_H
#define MODELS_MPI_PRELOAD_DATA_H

#include "models/mpi/preload/real.h"

#include <stddef.h>

/* To be called once MPICH is initialised. */
void data_start(void);

/* Does the type exist, and is it committed? */
bool data_type_usable(MPI_Datatype type);
/* Does the operator exist, and does it apply to this type? */
bool data_operator_usable(MPI_Op op, MPI_Datatype type);
/* Does it come to the same in whatever order operands are reduced? Of integers' sums and the like, yes; sums of floating-point numbers
 * are rounded, and the program's own operators may do anything. */
bool data_reduces_in_any_order(MPI_Op op, MPI_Datatype type);

/* Bytes of one packed element. */
size_t data_size(MPI_Datatype type);
/* Bytes from one element in memory to the next. */
ptrdiff_t data_extent(MPI_Datatype type);
/* Do elements lie in memory exactly as in a message, one after the other? */
bool data_is_plain(MPI_Datatype type);
/* Where element `index` of a buffer begins. */
void *data_element(const void *buffer, ptrdiff_t index, MPI_Datatype type);

/* MPICH does not pack from or to MPI_BOTTOM. So elements of absolute addresses are seen from an address that is not null: as one
 * of a type whose displacements are relative to it. */
struct data_anchored {
    void *buffer;
    MPI_Count count;
    MPI_Datatype type;
    bool is_made; /* the type is, to be freed when it is done */
};
struct data_anchored data_anchor(const void *buffer, MPI_Count count, MPI_Datatype type);
void data_anchored_done(struct data_anchored *anchored);

void data_pack(void *bytes, const void *buffer, MPI_Count count, MPI_Datatype type);
/* `size` bytes, of which the last element may have received only a part. */
void data_unpack(void *buffer, MPI_Datatype type, const void *bytes, size_t size);

/* Adds the packed buffer as the next part of the operation just issued. */
void data_add_part(const void *buffer, MPI_Count count, MPI_Datatype type);

/* Keeps a type alive while an operation is pending, though the program may free it: gives the handle to use. */
MPI_Datatype data_hold_type(MPI_Datatype type);
void data_release_type(MPI_Datatype type);

/* Zeroed room for `count` elements of a type. */
struct data_room {
    void *memory; /* to be freed */
    void *buffer; /* address of element 0; differs from `memory` if the type's lower bound is not 0 */
};
struct data_room data_make_room(MPI_Count count, MPI_Datatype type);

/* accumulator = operand op accumulator, element by element. */
void data_reduce(const void *operand, void *accumulator, MPI_Count count, MPI_Datatype type, MPI_Op op);

#endif
