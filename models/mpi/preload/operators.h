/* Operators of reductions that are under way: MPI_Op_free must not take them away (MPI-3.1 section 5.9.5). */
#ifndef MODELS_MPI_PRELOAD_OPERATORS_H
#define MODELS_MPI_PRELOAD_OPERATORS_H

#include "models/mpi/preload/real.h"

void operator_hold(MPI_Op op);
/* Frees the operator if the program has done so in the meantime and nothing else holds it. */
void operator_release(MPI_Op op);

#endif
