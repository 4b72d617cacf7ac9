/* Attributes of communicators. MPICH keeps them and runs the program's callbacks; what is ours is what a singleton does not
 * know, and MPI_Finalize. */
#ifndef MODELS_MPI_PRELOAD_ATTRIBUTES_H
#define MODELS_MPI_PRELOAD_ATTRIBUTES_H

#include "models/mpi/preload/caller.h"

#include <mpi.h>

/* Once the rank is known. */
void attributes_start(void);

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF before anything else, the last one set first (MPI-3.1 section 8.7.1),
 * then, as MPICH does, those of MPI_COMM_WORLD. The program's delete callbacks may still call MPI. */
void attributes_delete_all(void);

/* Reports a communicator that is none, or a key of none; what an access to an attribute must have. */
int attributes_check(const struct caller *caller, MPI_Comm communicator, int keyval);
/* The value of a predefined attribute that MPICH cannot know here, as it knows one process only: NULL for any other key. */
const int *attributes_predefined(int keyval);
/* The program has set the attribute. */
void attributes_note(MPI_Comm communicator, int keyval);

#endif
