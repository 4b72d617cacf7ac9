/* Every MPI function that can appear in a report, by number. */
#ifndef MODELS_MPI_FUNCTIONS_H
#define MODELS_MPI_FUNCTIONS_H

#include <stdint.h>

/* The list is generated: MPI_FUNCTION(name) for each of mpi.h, sorted by name. */
#define MPI_FUNCTION(name) FUNCTION_##name,
enum mpi_function {
    FUNCTION_none = 0,
#include "models/mpi/functions.def"
    FUNCTION_count
};
#undef MPI_FUNCTION

/* "MPI_Send"; "" for a number that names no function. */
const char *function_name(uint16_t function);
/* FUNCTION_none for a name that is none of theirs. */
uint16_t function_of_name(const char *name);

/* MPI_Bcast for MPI_Bcast_c: the function whose form for large counts it is; any other is itself. */
uint16_t function_without_large_counts(uint16_t function);

#endif
