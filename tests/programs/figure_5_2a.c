/* Thesis figure 5.2a: ranks 0 and 1 meet in a barrier on the world, rank 2 in one on another communicator. No barrier is
 * ever complete: deadlock in every ordering, however messages are buffered. */
/* explore: ranks=3 verdict=found class=deadlock */
/* explore: ranks=3 verdict=found class=deadlock buffering=none */
/* explore: ranks=3 verdict=found class=deadlock buffering=infinite */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Comm other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Barrier(rank == 2 ? other : MPI_COMM_WORLD);
    MPI_Comm_free(&other);
    MPI_Finalize();
    return 0;
}
