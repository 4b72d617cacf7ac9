/* The names of the MPI functions by number. Usable without mpi.h. */
#ifndef MODELS_MPI_PRELOAD_NAMES_H
#define MODELS_MPI_PRELOAD_NAMES_H

#include "models/mpi/functions.h"

#include <stdint.h>

/* "MPI_Send"; "MPI" for a number that names no function. */
const char *function_name(uint16_t function);

/* MPI_Bcast for MPI_Bcast_c: the function whose form for large counts it is; any other is itself. */
uint16_t function_without_large_counts(uint16_t function);

#endif
