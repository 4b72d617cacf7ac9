/* Mistakes in the arguments of forwarded functions that MPICH does not notice. */
#ifndef MODELS_MPI_PRELOAD_FORWARDED_ARGUMENTS_H
#define MODELS_MPI_PRELOAD_FORWARDED_ARGUMENTS_H

#include "models/mpi/preload/caller.h"

/* The arguments are machine words. Returns as the checks of arguments.h do. */
int forwarded_arguments_check(const struct caller *caller, const long *word);

#endif
