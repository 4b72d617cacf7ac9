/* Thesis figure 5.2c: deadlocks only if the wildcard receive takes rank 2's message; then the second receive waits for
 * another one from rank 2 and rank 0's synchronous send for a receive. If it takes rank 0's, all is well. */
/* explore: ranks=3 verdict=found class=deadlock */
/* explore: ranks=3 verdict=found class=deadlock buffering=none */
/* explore: ranks=3 verdict=found class=deadlock buffering=infinite */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Ssend(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 2) {
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
