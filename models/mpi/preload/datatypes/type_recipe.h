/* How the program's datatypes were made, as MPI_Type_get_envelope and MPI_Type_get_contents tell it. */
#ifndef MODELS_MPI_PRELOAD_TYPE_RECIPE_H
#define MODELS_MPI_PRELOAD_TYPE_RECIPE_H

#include "models/mpi/preload/real.h"

/* The arguments of the call that made a type, in the order that MPI-3.1 section 4.1.13 has them. */
struct type_recipe {
    int combiner;
    int integers, addresses, types;
    int *integer;
    MPI_Aint *address;
    MPI_Datatype *type;
};

/* Is it made of others? Not so the predefined ones and those of MPI_Type_create_f90_real and its like. */
bool type_has_recipe(MPI_Datatype type);

/* To be freed with type_recipe_done, the types in it too. */
struct type_recipe type_recipe(MPI_Datatype type);
void type_recipe_done(struct type_recipe *recipe);

#endif
