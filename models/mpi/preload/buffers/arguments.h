/* Checks of arguments. Each returns MPI_SUCCESS, or the error code that the MPI function must return because the
 * communicator's error handler says so; with the default handler a bad argument ends the rank as a violation. */
#ifndef MODELS_MPI_PRELOAD_ARGUMENTS_H
#define MODELS_MPI_PRELOAD_ARGUMENTS_H

#include "models/mpi/preload/caller.h"
#include "models/mpi/preload/communicators/communicators.h"
#include "models/mpi/preload/objects.h"

/* Reports a broken argument: what follows the function's name in the sentence comes from `format`. */
int reject(const struct caller *caller, MPI_Comm handle, int error_class, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Sets *communicator, or reports that the handle names none. */
int check_communicator(const struct caller *caller, MPI_Comm handle, struct communicator **communicator);
/* What is wrong with a buffer's address, count and type, as reject has it; error_class MPI_SUCCESS: nothing. */
struct data_fault {
    int error_class;
    char reason[80];
};
struct data_fault data_fault(const void *buffer, MPI_Count count, MPI_Datatype type);

/* Reports a negative count. */
int check_count(const struct caller *caller, MPI_Comm handle, MPI_Count count);
int check_data(const struct caller *caller, const struct communicator *communicator, const void *buffer, MPI_Count count,
               MPI_Datatype type);
int check_send_peer(const struct caller *caller, const struct communicator *communicator, int destination, int tag);
int check_receive_peer(const struct caller *caller, const struct communicator *communicator, int source, int tag);
/* To be called once MPICH is initialised: what tags there are is asked once. */
void arguments_start(void);
int check_tag(const struct caller *caller, const struct communicator *communicator, int tag);
/* Reports an intercommunicator, where only an intracommunicator will do. */
int check_intracommunicator(const struct caller *caller, const struct communicator *communicator);
int check_root(const struct caller *caller, const struct communicator *communicator, int root);
int check_operator(const struct caller *caller, MPI_Comm handle, MPI_Op op, MPI_Datatype type);

/* Reports a handle that names no window. */
int check_window_handle(const struct caller *caller, MPI_Win window);

/* Reports a handle that was freed. Null handles pass: MPICH recognises them itself. */
int check_object(const struct caller *caller, enum object_kind kind, int handle);

/* Where a request is to be put: a null pointer, which within the library says that a call blocks, is a mistake of the program. */
int check_request_place(const struct caller *caller, const MPI_Request *place);

#endif
