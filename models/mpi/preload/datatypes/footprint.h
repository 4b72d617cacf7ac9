/* Which bytes of memory a typed buffer covers: those that a message fills, without the gaps of its datatype.
 *
 * A footprint is a list of combs, each some pieces of one size at equal distances, so that a column of a matrix is one entry:
 *
 *     {at, 8, 80, 10}     |--------|        |--------|        |--------|  …   10 pieces of 8 bytes, 80 bytes apart
 */
#ifndef MODELS_MPI_PRELOAD_FOOTPRINT_H
#define MODELS_MPI_PRELOAD_FOOTPRINT_H

#include "models/mpi/preload/real.h"

#include <stddef.h>

struct comb {
    intptr_t at;        /* the first piece */
    size_t size;        /* of each piece; not 0 */
    ptrdiff_t distance; /* from the start of a piece to that of the next, either way; 0 if there is one piece */
    size_t pieces;      /* 1 or more */
};

/* All zero: empty. The first comb, mostly the only one, needs no memory of its own. */
struct footprint {
    struct comb first;
    struct comb *more; /* the others; owned */
    uint32_t combs, room;
};

/* Adds `count` elements of `type` at `buffer`. Left out are types whose layout is not known (MPI_Type_create_darray) and what
 * is beyond 65536 combs. */
void footprint_add(struct footprint *footprint, const void *buffer, MPI_Count count, MPI_Datatype type);
void footprint_free(struct footprint *footprint); /* leaves it empty */

/* Combs are numbered from 0. */
const struct comb *footprint_comb(const struct footprint *footprint, uint32_t number);
size_t footprint_bytes(const struct footprint *footprint);

/* Copies the bytes of all pieces, one after the other, out of memory or back. */
void footprint_read(const struct footprint *footprint, void *bytes);
void footprint_write(const struct footprint *footprint, const void *bytes);
/* A hash of them. */
uint64_t footprint_hash(const struct footprint *footprint);

/* From its lowest byte to behind its highest, with all that lies between; from 0 to 0 if it is empty. */
struct bounds {
    uintptr_t from, to;
};
struct bounds footprint_bounds(const struct footprint *footprint);
/* Of all in the list, those that are empty aside. */
struct bounds bounds_of_all(const struct bounds *list, size_t count);
static inline bool bounds_meet(struct bounds a, struct bounds b) { return a.from < b.to && b.from < a.to; }

/* Does a byte lie from `from` to before `to`? */
bool footprint_enters(const struct footprint *footprint, uintptr_t from, uintptr_t to);
/* Does it have a byte twice? Of more than 256 combs that is not looked for. */
bool footprint_overlaps_itself(const struct footprint *footprint);
/* Do two footprints have a byte in common? */
bool footprints_meet(const struct footprint *a, const struct footprint *b);

#endif
