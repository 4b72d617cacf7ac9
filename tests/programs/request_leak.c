/* Rank 0 never waits for the request of a send that rank 1 does receive. */
/* explore: ranks=2 verdict=found class=request-leak says=MPI_Isend */
/* explore: ranks=2 verdict=found class=request-leak buffering=infinite */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, value = 5;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Isend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    else if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
