#include "models/mpi/preload/datatypes/type_recipe.h"

#include <stdlib.h>

bool type_has_recipe(MPI_Datatype type) {
    int integers, addresses, types, combiner = MPI_COMBINER_NAMED;
    REAL(Type_get_envelope)(type, &integers, &addresses, &types, &combiner);
    return combiner != MPI_COMBINER_NAMED && combiner != MPI_COMBINER_F90_REAL && combiner != MPI_COMBINER_F90_COMPLEX &&
           combiner != MPI_COMBINER_F90_INTEGER;
}

struct type_recipe type_recipe(MPI_Datatype type) {
    struct type_recipe recipe = {0};
    REAL(Type_get_envelope)(type, &recipe.integers, &recipe.addresses, &recipe.types, &recipe.combiner);
    recipe.integer = malloc(((size_t)recipe.integers + 1) * sizeof *recipe.integer);
    recipe.address = malloc(((size_t)recipe.addresses + 1) * sizeof *recipe.address);
    recipe.type = malloc(((size_t)recipe.types + 1) * sizeof *recipe.type);
    REAL(Type_get_contents)(type, recipe.integers, recipe.addresses, recipe.types, recipe.integer, recipe.address, recipe.type);
    return recipe;
}

void type_recipe_done(struct type_recipe *recipe) {
    for (int i = 0; i < recipe->types; i++) {
        if (type_has_recipe(recipe->type[i]))
            REAL(Type_free)(&recipe->type[i]);
    }
    free(recipe->integer);
    free(recipe->address);
    free(recipe->type);
}
