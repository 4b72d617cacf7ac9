/* Rank 1 writes through a wild pointer. */
/* explore: ranks=2 verdict=found class=crash */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        *(volatile int *)16 = 1;
    MPI_Finalize();
    return 0;
}
