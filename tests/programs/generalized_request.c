/* A generalized request beside a receive: the program completes it itself, so waiting for one that is not complete never
 * ends. Its callbacks run in the order query, free, and once each. */
/* explore: ranks=2 verdict=race-free args=complete */
/* explore: ranks=2 verdict=race-free args=freed */
/* explore: ranks=2 verdict=race-free args=tested */
/* explore: ranks=2 verdict=found class=deadlock args=forgotten mpiexec=no says=MPI_Grequest_complete, */
/* explore: ranks=2 verdict=found class=request-leak args=leaked mpiexec=no */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int query(void *state, MPI_Status *status) {
    printf("query %s\n", (const char *)state);
    MPI_Status_set_elements(status, MPI_INT, 7);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int release(void *state) {
    printf("free %s\n", (const char *)state);
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete) {
    printf("cancel %s, %d\n", (const char *)state, complete);
    return MPI_SUCCESS;
}

static void exchange(int rank, const char *mode) {
    int number = rank, count;
    MPI_Request request[2];
    MPI_Status status[2];
    MPI_Grequest_start(query, release, cancel, "operation", &request[0]);
    MPI_Irecv(&number, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Cancel(&request[0]);
    if (strcmp(mode, "forgotten"))
        MPI_Grequest_complete(request[0]);
    MPI_Waitall(2, request, status);
    MPI_Get_count(&status[0], MPI_INT, &count);
    assert(count == 7 && number == 1 - rank && request[0] == MPI_REQUEST_NULL);
}

int main(int argc, char **argv) {
    int rank, flag;
    const char *mode = argc > 1 ? argv[1] : "complete";
    MPI_Request request, copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!strcmp(mode, "complete") || !strcmp(mode, "forgotten"))
        exchange(rank, mode);
    if (strcmp(mode, "complete") && strcmp(mode, "forgotten"))
        MPI_Grequest_start(query, release, cancel, "other", &request);
    if (!strcmp(mode, "freed")) {
        copy = request;
        MPI_Request_free(&request);
        assert(request == MPI_REQUEST_NULL);
        MPI_Grequest_complete(copy);
    }
    if (!strcmp(mode, "tested")) {
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        assert(!flag);
        MPI_Grequest_complete(request);
        MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
        assert(flag);
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        assert(flag && request == MPI_REQUEST_NULL);
    }
    MPI_Finalize();
    return 0;
}
