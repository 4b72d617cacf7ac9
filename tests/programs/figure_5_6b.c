/* After thesis figure 5.6b: both processes have a send open before any receive is there, and rank 0 gets to its receives
 * only because its own send does not block. Either message may be the first. Rank 1's send needs no buffering. */
/* explore: ranks=2 verdict=found class=race-output */
/* explore: ranks=2 verdict=found class=race-output buffering=none */
/* explore: ranks=2 verdict=found class=race-output buffering=infinite */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        int first, second;
        MPI_Request request;
        MPI_Isend(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        printf("first from %d, second from %d\n", first, second);
    } else if (rank == 1) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
