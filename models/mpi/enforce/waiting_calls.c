#include "models/mpi/enforce/enforce.h"

#define WAITING_CALL(name, parameters, arguments)                                                                       \
    EXPORT(name)                                                                                                         \
    int MPI_##name parameters {                                                                                          \
        const uint16_t function = FUNCTION_MPI_##name;                                                                   \
        if (!enforce_enter(function, __builtin_return_address(0)))                                                      \
            return REAL(name) arguments;                                                                                \
        LEAVE(REAL(name) arguments);                                                                                    \
    }
#include "models/mpi/enforce/waiting_calls.def"
