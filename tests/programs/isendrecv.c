/* A send and a receive with one request (MPI-4.0 section 3.10): it is complete when both are, and its status is the receive's. "ring":
 * everybody passes a number on, once with two buffers and once in one; "calls": each completion function takes such requests, beside
 * others. "send": the request waits for its send too, which nobody receives before rank 0 is told. "any": which of two neighbours is
 * first is open, and says so. "early": the buffer is used before the request is complete. (MPICH 4.0 says nothing in such a status.) */
/* explore: ranks=3 verdict=race-free args=ring mpiexec=no */
/* explore: ranks=3 verdict=race-free args=ring buffering=none mpiexec=no */
/* explore: ranks=3 verdict=race-free args=calls mpiexec=no */
/* explore: ranks=3 verdict=race-free args=calls buffering=none mpiexec=no */
/* explore: ranks=2 verdict=found class=deadlock args=send mpiexec=no */
/* explore: ranks=2 verdict=race-free args=send buffering=infinite */
/* explore: ranks=3 verdict=found class=race-output args=any */
/* explore: ranks=2 verdict=found class=buffer-in-use args=early */
/* explore: ranks=2 verdict=found class=buffer-in-use args=early_replace */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size, left, right;
static const char *mode = "ring";
static int is(const char *wanted) { return strcmp(mode, wanted) == 0; }

static void require(const MPI_Status *status, int source, int number, int expected) {
    int count;
    MPI_Get_count(status, MPI_INT, &count);
    assert(status->MPI_SOURCE == source && status->MPI_TAG == 3 && count == 1 && number == expected);
}

/* The number of the left neighbour, by a request that is still to be completed. */
static void start(int *given, int *taken, MPI_Request *request) {
    MPI_Isendrecv(given, 1, MPI_INT, right, 3, taken, 1, MPI_INT, left, 3, MPI_COMM_WORLD, request);
}

static void ring(void) {
    int given = 10 * rank, taken = -1;
    MPI_Request request;
    MPI_Status status;
    start(&given, &taken, &request);
    MPI_Wait(&request, &status);
    require(&status, left, taken, 10 * left);
    assert(request == MPI_REQUEST_NULL);
    MPI_Isendrecv_replace(&given, 1, MPI_INT, right, 3, left, 3, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    require(&status, left, given, 10 * left);
    MPI_Isendrecv(&given, 1, MPI_INT, MPI_PROC_NULL, 3, &taken, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    assert(status.MPI_SOURCE == MPI_PROC_NULL && taken == 10 * left);
}

static void calls(void) {
    int given[2] = {rank, rank + 100}, taken[2] = {0}, flag = 0, which, indices[2], done = 0;
    MPI_Request request[2];
    MPI_Status status[2];
    start(&given[0], &taken[0], &request[0]);
    start(&given[1], &taken[1], &request[1]);
    MPI_Waitall(2, request, status);
    require(&status[0], left, taken[0], left);
    require(&status[1], left, taken[1], left + 100);

    start(&given[0], &taken[0], &request[0]);
    MPI_Waitany(1, request, &which, status);
    assert(which == 0);
    require(status, left, taken[0], left);

    start(&given[0], &taken[0], &request[0]);
    start(&given[1], &taken[1], &request[1]);
    while (done < 2) {
        int some;
        MPI_Waitsome(2, request, &some, indices, status);
        assert(some > 0);
        for (int i = 0; i < some; i++)
            require(&status[i], left, taken[indices[i]], left + 100 * indices[i]);
        done += some;
    }

    start(&given[0], &taken[0], &request[0]);
    while (!flag)
        MPI_Test(&request[0], &flag, status);
    require(status, left, taken[0], left);
    start(&given[0], &taken[0], &request[0]);
    for (flag = 0; !flag;)
        MPI_Testany(1, request, &which, &flag, status);
    require(status, left, taken[0], left);
    start(&given[0], &taken[0], &request[0]);
    for (flag = 0; !flag;)
        MPI_Request_get_status(request[0], &flag, status);
    require(status, left, taken[0], left);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
}

/* The receive of rank 0 completes at once, and the send only if it is buffered: rank 1 receives it last. */
static void send_last(void) {
    int given = rank, taken = -1;
    MPI_Request request;
    if (rank == 0) {
        start(&given, &taken, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Send(&given, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
    } else {
        MPI_Send(&given, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
        MPI_Recv(&taken, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&taken, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void any(void) {
    int given = rank, taken[2] = {-1, -1}, which;
    MPI_Request request[2];
    for (int i = 0; i < 2; i++) {
        int other = (rank + 1 + i) % 3;
        MPI_Isendrecv(&given, 1, MPI_INT, other, 3, &taken[i], 1, MPI_INT, other, 3, MPI_COMM_WORLD, &request[i]);
    }
    MPI_Waitany(2, request, &which, MPI_STATUS_IGNORE);
    printf("first: %d\n", taken[which]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

static void early(void) {
    int given = rank, taken = -1;
    MPI_Request request;
    if (is("early_replace"))
        MPI_Isendrecv_replace(&given, 1, MPI_INT, right, 3, left, 3, MPI_COMM_WORLD, &request);
    else
        start(&given, &taken, &request);
    given = 7;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    mode = argc > 1 ? argv[1] : mode;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    if (is("ring"))
        ring();
    else if (is("calls"))
        calls();
    else if (is("send"))
        send_last();
    else if (is("any"))
        any();
    else
        early();
    MPI_Finalize();
    return 0;
}
