/* The fan-in twin of figure_5_6a: rank 1 may leave the reduction before the root enters it, and its message then overtakes
 * rank 2's into the root's first wildcard receive. If collectives synchronise it cannot. When rank 2's send is not buffered
 * either, the root waits in the reduction for a rank that waits for the root: a deadlock. */
/* explore: ranks=3 verdict=race-free buffering=none */
/* explore: ranks=3 verdict=found class=race-output buffering=infinite */
/* explore: ranks=3 verdict=found class=race-output|deadlock buffering=all says=early: */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        int first, second;
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
        MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("sum %d, first from %d, second from %d\n", sum, first, second);
    } else if (rank == 1) {
        MPI_Reduce(&rank, NULL, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Reduce(&rank, NULL, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
