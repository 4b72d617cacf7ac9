#include "models/mpi/preload/names.h"

#define MPI_FUNCTION(name) [FUNCTION_##name] = #name,
static const char *const names[FUNCTION_count] = {
#include "models/mpi/functions.def"
};
#undef MPI_FUNCTION

const char *function_name(uint16_t function) {
    return function > FUNCTION_none && function < FUNCTION_count ? names[function] : "MPI";
}
