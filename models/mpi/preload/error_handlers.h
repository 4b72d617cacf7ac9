/* Error handlers (MPI-3.1 section 8.3). The program's own and MPI_ERRORS_RETURN are MPICH's. In the place of
 * MPI_ERRORS_ARE_FATAL, the default, MPICH has one of ours: where the program would end, it ends as a finding.
 *
 * With any other handler a broken rule is no finding: the program has said that it deals with error codes itself. */
#ifndef MODELS_MPI_PRELOAD_ERROR_HANDLERS_H
#define MODELS_MPI_PRELOAD_ERROR_HANDLERS_H

#include "models/mpi/preload/caller.h"

/* To be called once MPICH is initialised. */
void error_handlers_start(void);

/* Does an error on this communicator end the program? MPI_COMM_NULL (one that was freed) stands for MPI_COMM_WORLD, here
 * and below. */
bool errors_are_fatal(MPI_Comm communicator);

/* The same, asked of MPICH, which notes in its memory that it was asked. */
bool error_handler_is_fatal(MPI_Comm communicator);

/* Where errors are not fatal: calls the communicator's handler. Returns the error for the MPI function to return. */
int errors_handle(MPI_Comm communicator, int error);

/* The same for windows; a new one has MPI_ERRORS_ARE_FATAL. */
void errors_start_window(MPI_Win window);
bool window_errors_are_fatal(MPI_Win window);
int window_errors_handle(MPI_Win window, int error);

#endif
