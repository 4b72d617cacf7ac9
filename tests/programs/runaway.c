/* Rank 1 never calls MPI again. */
/* explore: ranks=2 verdict=found class=runaway step-time=1s */
/* The time for all ends before the time of a step. */
/* explore: ranks=2 verdict=undecided time=1s says=time */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    volatile int spins = 0;
    while (rank == 1)
        spins ^= 1;
    MPI_Finalize();
    return 0;
}
