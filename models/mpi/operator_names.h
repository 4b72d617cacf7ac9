/* The names of MPI's operators, by what protocol.h says of them. */
#ifndef MODELS_MPI_OPERATOR_NAMES_H
#define MODELS_MPI_OPERATOR_NAMES_H

#include "models/mpi/protocol.h"

static inline const char *operator_name(uint32_t identity) {
    static const char *const names[] = {"MPI_MAX",    "MPI_MIN",    "MPI_SUM",     "MPI_PROD", "MPI_LAND",
                                        "MPI_BAND",   "MPI_LOR",    "MPI_BOR",     "MPI_LXOR", "MPI_BXOR",
                                        "MPI_MINLOC", "MPI_MAXLOC", "MPI_REPLACE", "MPI_NO_OP"};
    const uint32_t place = identity - WIRE_FIRST_OPERATOR;
    return place < sizeof names / sizeof *names ? names[place] : "one of the program's own";
}

#endif
