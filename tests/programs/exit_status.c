/* Everything is received, but rank 1 exits with status 7. */
/* explore: ranks=2 verdict=found class=exit-status */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    return rank == 1 ? 7 : 0;
}
