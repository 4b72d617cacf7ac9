/* Every MPI function that can appear in a report, by number. Generated list: MPI_FUNCTION(name) for each of mpi.h. */
#ifndef MODELS_MPI_FUNCTIONS_H
#define MODELS_MPI_FUNCTIONS_H

#define MPI_FUNCTION(name) FUNCTION_##name,
enum mpi_function {
    FUNCTION_none = 0,
#include "models/mpi/functions.def"
    FUNCTION_count
};
#undef MPI_FUNCTION

#endif
