/* What functions the program's error handlers are. Such a function is given the error code that the MPI function is going to return
 * (MPI-3.1 section 8.3.1), and may change it: to MPI_SUCCESS, if it has seen to the error. MPICH does not tell which function it
 * is, and calls one for us (MPI_Comm_call_errhandler) without telling what has become of the code. */
#ifndef MODELS_MPI_PRELOAD_HANDLER_FUNCTIONS_H
#define MODELS_MPI_PRELOAD_HANDLER_FUNCTIONS_H

#include <mpi.h>
#include <stdbool.h>

/* What errors it is for; numbered as MPICH's C++ bindings do it. */
enum handler_kind { HANDLER_OF_COMMUNICATOR = 0, HANDLER_OF_FILE = 1, HANDLER_OF_WINDOW = 2 };

/* Of communicators, of windows and, but for the type of the handle, of files. */
typedef void handler_function(int *handle, int *code, ...);

/* The program has made a handler, unless there was an error, which is returned. MPICH may give a freed one's handle again: the last
 * function counts. */
int handler_functions_note(int error, const MPI_Errhandler *handler, enum handler_kind kind, handler_function *function);
/* A handle with the same function and of the same language has been made. */
void handler_functions_copy(MPI_Errhandler copy, MPI_Errhandler handler);
/* NULL: it is none of the program's for such errors. */
handler_function *handler_functions_find(MPI_Errhandler handler, enum handler_kind kind);

/* Calls it; false: it is none of the program's. `handle`: of what the error is of. The MPI function that the program is in returns
 * to it what the handler has made of the code. */
bool handler_functions_call(MPI_Errhandler handler, void *handle, int code);

/* Is it one of those of MPI that end the program? */
static inline bool handler_is_fatal(MPI_Errhandler handler) {
    return handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_ABORT;
}

#endif
