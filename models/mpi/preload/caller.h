/* How every MPI function of the library begins.
 *
 *     EXPORT(Send)
 *     int MPI_Send(const void *buffer, int count, ...)
 *     {
 *         ENTER(Send, buffer, count, ...);
 *
 * EXPORT makes MPI_Send and PMPI_Send two names of one function. ENTER forwards calls that libmpich makes itself, ends the rank if
 * MPI is not initialised or already finalised, and defines `caller`. */
#ifndef MODELS_MPI_PRELOAD_CALLER_H
#define MODELS_MPI_PRELOAD_CALLER_H

#include "models/mpi/preload/real.h"

/* Which MPI function the program called, and from where. */
struct caller {
    uint16_t function; /* enum mpi_function */
    uint64_t site;     /* return address in the program */
};

#define EXPORT(name)                                                                                                    \
    __typeof__(MPI_##name) MPI_##name __attribute__((visibility("default")));                                           \
    __typeof__(MPI_##name) PMPI_##name __attribute__((alias("MPI_" #name), visibility("default")));

/* As ENTER, for functions that may be called at any time. */
#define ENTER_ANYTIME(name, ...)                                                                                        \
    const struct caller caller_value = {FUNCTION_MPI_##name, (uint64_t)__builtin_return_address(0)};                    \
    const struct caller *const caller = &caller_value;                                                                  \
    if (real_is_caller(caller->site))                                                                                   \
        return REAL(name)(__VA_ARGS__)

#define ENTER(name, ...)                                                                                                \
    ENTER_ANYTIME(name, __VA_ARGS__);                                                                                   \
    caller_require_active(caller)

/* Returns only between MPI_Init and MPI_Finalize. */
void caller_require_active(const struct caller *caller);

#endif
