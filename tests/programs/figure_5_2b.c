/* Thesis figure 5.2b: the barrier does not keep rank 2's message from the receive that rank 1 posted before it, because
 * that receive completes only at the wait behind the barrier. With the argument "fixed" the wait comes first: rank 2 cannot
 * send until the receive has its message, which only rank 0 can have sent. */
/* explore: ranks=3 verdict=found class=race-output */
/* explore: ranks=3 verdict=found class=race-output buffering=none */
/* explore: ranks=3 verdict=race-free args=fixed */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>

static void receive_both(bool wait_first) {
    int first, second;
    MPI_Request request;
    MPI_Irecv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
    if (wait_first)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("first from %d, second from %d\n", first, second);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request request;
        MPI_Isend(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        receive_both(argc > 1);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
