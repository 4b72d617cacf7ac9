/* The real MPICH underneath: a singleton that serves datatypes, packing, operators, attributes, names and error handlers.
 * Communication never reaches it. */
#ifndef MODELS_MPI_PRELOAD_REAL_H
#define MODELS_MPI_PRELOAD_REAL_H

#include "models/mpi/functions.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

extern void *real_function[FUNCTION_count];

/* Call the real one: REAL(Type_size_x)(type, &size). */
#define REAL(name) ((__typeof__(&MPI_##name))real_function[FUNCTION_MPI_##name])

/* Handles of MPICH's predefined objects carry their kind in the two top bits. */
static inline bool real_is_predefined(int handle) { return (uint32_t)handle >> 30 == 1; }

#endif
