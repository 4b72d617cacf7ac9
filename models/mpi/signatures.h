/* Type signatures (MPI-3.1 section 3.3.1): the sequence of basic types in a message, without displacements. A message must be
 * received with the types it was sent with; the receive's signature may be longer.
 *
 * A signature is a cyclic pattern, as a buffer repeats its datatype: 3 elements of {MPI_INT, 2 x MPI_DOUBLE} are
 *
 *     run    type        bytes
 *     0      MPI_INT         4
 *     1      MPI_DOUBLE     16     then 0 again, until the message ends
 *
 * It has a 64-bit name: 0, nothing is known of it (it matches everything); below BASIC_TYPE_count, that type over and over;
 * else a hash of its runs, which the model has been told of. */
#ifndef MODELS_MPI_SIGNATURES_H
#define MODELS_MPI_SIGNATURES_H

#include "models/mpi/protocol.h"

#include <stdbool.h>

enum basic_type {
    BASIC_TYPE_none = 0,
#define BASIC_TYPE(name) BASIC_##name,
#include "models/mpi/basic_types.def"
#undef BASIC_TYPE
    BASIC_TYPE_count
};

/* Basic types too are those of MPI_Type_create_f90_real and its like, each with its numbers, which match nothing but themselves
 * (MPI-3.1 section 17.1.9): `number` is a precision or a range, from 0 to F90_NUMBER_MOST, or else F90_NUMBER_MOST + 1. */
enum f90_kind { F90_REAL = 1, F90_COMPLEX, F90_INTEGER };
enum { F90_NUMBER_MOST = (1 << 14) - 2, F90_KIND_SHIFT = 28 };
static inline uint32_t f90_type(enum f90_kind kind, int precision, int range) {
    const int most = F90_NUMBER_MOST + 1;
    const int numbers[] = {precision < 0 || precision > most ? most : precision, range < 0 || range > most ? most : range};
    return (uint32_t)kind << F90_KIND_SHIFT | (uint32_t)numbers[0] << 14 | (uint32_t)numbers[1];
}

bool basic_type_is_known(uint32_t type);

/* "MPI_INT"; `room` may be needed for it. */
enum { BASIC_TYPE_ROOM = 64 };
const char *basic_type_name(uint32_t type, char room[BASIC_TYPE_ROOM]);

struct signature {
    uint64_t name;
    uint32_t runs;
    const struct wire_run *run;
};

struct signature_mismatch {
    uint32_t sent, received; /* enum basic_type */
    uint64_t offset;         /* bytes of the message before it */
};

/* Does a message of `bytes` bytes match, as far as the receive goes? */
bool signatures_match(const struct signature *sent, const struct signature *received, uint64_t bytes,
                      struct signature_mismatch *mismatch);

/* Reduces a sequence of basic types to the shortest of which it is a repetition, and returns the number of its runs: sequences that are
 * repetitions of one another, or of a third, end as the same one. Neighbouring runs differ in type; there are at least 2. */
uint32_t signature_root(struct wire_run *run, uint32_t runs);

/* Of a collective only the upper half of a hash of the whole signature is told, mixed with the number of elements where that
 * must be the same (struct wire_operation, `tag`). The basic type of which it is that many bytes; BASIC_TYPE_none: of none. */
uint32_t signature_basic_type(uint32_t hash, uint64_t bytes);

#endif
