/* The arguments of MPI_Put, MPI_Get, MPI_Accumulate and their kin, and the rules for them (MPI-3.1 section 11.3). */
#ifndef MODELS_MPI_PRELOAD_WINDOW_ARGUMENTS_H
#define MODELS_MPI_PRELOAD_WINDOW_ARGUMENTS_H

#include "models/mpi/preload/datatypes/data.h"
#include "models/mpi/preload/windows/windows.h"

#define NO_BUFFER \
    { NULL, 0, NO_TYPE }

/* The arguments of all access functions. */
struct wanted {
    uint8_t kind;
    MPI_Op op;
    struct issued_buffer given, compared, result; /* NO_BUFFER: the function has none */
    int target;
    MPI_Aint displacement;
    MPI_Count count;
    MPI_Datatype type;
};

static inline uint64_t buffer_bytes(const struct issued_buffer *buffer) {
    return buffer->type == NO_TYPE ? 0 : (uint64_t)buffer->count * data_size(buffer->type);
}

/* At the target. */
static inline uint64_t wanted_bytes(const struct wanted *wanted) { return (uint64_t)wanted->count * data_size(wanted->type); }

/* Both return MPI_SUCCESS, or the error code for the MPI function to return. The bounds are those of the runs of bytes that the
 * access touches. */
int check_wanted(const struct caller *caller, const struct window *window, const struct wanted *wanted);
int check_bounds(const struct caller *caller, const struct window *window, int target, const struct access_run *run,
                 uint64_t runs);

#endif
