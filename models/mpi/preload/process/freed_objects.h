/* MPICH's pools of objects, kept in an order that does not depend on what was freed when. */
#ifndef MODELS_MPI_PRELOAD_FREED_OBJECTS_H
#define MODELS_MPI_PRELOAD_FREED_OBJECTS_H

#include <mpi.h>

/* To be called once MPICH is initialised. */
void freed_objects_start(void);

/* MPI_Type_free. */
int freed_type(MPI_Datatype *type);
/* MPI_Op_free of an operator that nobody holds. */
int freed_operator(MPI_Op *operator);

#endif
