/* Two ranks send to each other, then receive: right only if the sends are buffered. */
/* explore: ranks=2 verdict=found class=deadlock */
/* explore: ranks=2 verdict=found class=deadlock buffering=none */
/* Nothing is buffered, or either send, after which the rest is determined: */
/* explore: ranks=2 verdict=found class=deadlock failing=1/3 */
/* explore: ranks=2 verdict=race-free buffering=infinite */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Recv(&other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return other == 1 - rank ? 0 : 1;
}
