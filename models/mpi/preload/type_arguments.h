/* What MPICH takes for a good datatype, though MPI-3.1 says that it is none. */
#ifndef MODELS_MPI_PRELOAD_TYPE_ARGUMENTS_H
#define MODELS_MPI_PRELOAD_TYPE_ARGUMENTS_H

#include "models/mpi/preload/caller.h"

/* The arguments of a forwarded function, as machine words. Returns as the checks of arguments.h do. */
int type_arguments_check(const struct caller *caller, const long *word);

#endif
