#include "models/mpi/functions.h"

#include <string.h>

#define MPI_FUNCTION(name) #name,
static const char *const names[FUNCTION_count] = {
    "",
#include "models/mpi/functions.def"
};
#undef MPI_FUNCTION

const char *function_name(uint16_t function) { return function < FUNCTION_count ? names[function] : ""; }

uint16_t function_of_name(const char *name) {
    uint16_t function = FUNCTION_count - 1;
    while (function > FUNCTION_none && strcmp(names[function], name) != 0)
        function--;
    return function;
}

uint16_t function_without_large_counts(uint16_t function) {
    size_t length = strlen(function_name(function));
    if (length < 3 || strcmp(function_name(function) + length - 2, "_c") != 0)
        return function;
    /* The names are sorted. */
    uint16_t small = function - 1;
    while (strlen(names[small]) != length - 2 || strncmp(names[small], names[function], length - 2) != 0)
        small--;
    return small;
}
