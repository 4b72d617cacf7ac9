/* Generalized requests (MPI-3.1 section 12.2): requests in the table like any other, for operations of the program's own. */
#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/buffers/pending_leftovers.h"
#include "models/mpi/preload/point_to_point/request_table.h"

#include <stdlib.h>

EXPORT(Grequest_start)
int MPI_Grequest_start(MPI_Grequest_query_function *query, MPI_Grequest_free_function *free_function,
                       MPI_Grequest_cancel_function *cancel, void *extra_state, MPI_Request *handle) {
    ENTER(Grequest_start, query, free_function, cancel, extra_state, handle);
    const struct transfer nothing = {.communicator = communicator_find(MPI_COMM_WORLD), .type = MPI_BYTE};
    *handle = request_make(caller, &nothing, handle);
    struct request *request = request_find(*handle);
    request->state = REQUEST_ACTIVE;
    request->generalized = malloc(sizeof *request->generalized);
    *request->generalized = (struct generalized){query, free_function, cancel, extra_state, false, false};
    return MPI_SUCCESS;
}

EXPORT(Grequest_complete)
int MPI_Grequest_complete(MPI_Request handle) {
    ENTER(Grequest_complete, handle);
    struct request *request = request_find(handle);
    if (request == NULL || request->generalized == NULL)
        return reject(caller, MPI_COMM_WORLD, MPI_ERR_REQUEST, "a request that is not a generalized one");
    if (request->state == REQUEST_COMPLETE)
        return reject(caller, MPI_COMM_WORLD, MPI_ERR_REQUEST, "a generalized request that is complete already");
    request->state = REQUEST_COMPLETE;
    return request->generalized->freed ? generalized_release(handle) : MPI_SUCCESS;
}

/* The same functions as subroutines. */
typedef void fortran_query(void *extra_state, MPI_Fint *status, MPI_Fint *error);
typedef void fortran_free(void *extra_state, MPI_Fint *error);
typedef void fortran_cancel(void *extra_state, MPI_Fint *complete, MPI_Fint *error);

static int query_fortran(const struct generalized *called, MPI_Status *status) {
    MPI_Fint fortran_status[sizeof *status / sizeof(MPI_Fint)];
    MPI_Fint error = MPI_SUCCESS;
    REAL(Status_c2f)(status, fortran_status);
    ((fortran_query *)(void *)called->query)(called->extra_state, fortran_status, &error);
    REAL(Status_f2c)(fortran_status, status);
    return error;
}

static int free_fortran(const struct generalized *called) {
    MPI_Fint error = MPI_SUCCESS;
    ((fortran_free *)(void *)called->free)(called->extra_state, &error);
    return error;
}

static int cancel_fortran(const struct generalized *called, bool complete) {
    MPI_Fint is_complete = complete, error = MPI_SUCCESS;
    ((fortran_cancel *)(void *)called->cancel)(called->extra_state, &is_complete, &error);
    return error;
}

/* The callbacks are given copies: they may make requests, and the table may move. */
int generalized_query(MPI_Request handle, MPI_Status *status) {
    const struct generalized called = *request_find(handle)->generalized;
    status_set_empty(status);
    if (called.query == NULL)
        return MPI_SUCCESS;
    pending_leftovers_note_callback();
    return called.is_fortran ? query_fortran(&called, status) : called.query(called.extra_state, status);
}

int generalized_release(MPI_Request handle) {
    const struct generalized called = *request_find(handle)->generalized;
    int error = MPI_SUCCESS;
    if (called.free != NULL)
        pending_leftovers_note_callback();
    if (called.free != NULL)
        error = called.is_fortran ? free_fortran(&called) : called.free(called.extra_state);
    struct request *request = request_find(handle);
    free(request->generalized);
    request_discard(request);
    return error;
}

int generalized_free(MPI_Request handle) {
    struct request *request = request_find(handle);
    if (request->state == REQUEST_COMPLETE)
        return generalized_release(handle);
    request->generalized->freed = true;
    return MPI_SUCCESS;
}

int generalized_cancel(MPI_Request handle) {
    const struct request *request = request_find(handle);
    const struct generalized called = *request->generalized;
    bool complete = request->state == REQUEST_COMPLETE;
    if (called.cancel == NULL)
        return MPI_SUCCESS;
    pending_leftovers_note_callback();
    return called.is_fortran ? cancel_fortran(&called, complete) : called.cancel(called.extra_state, complete);
}
