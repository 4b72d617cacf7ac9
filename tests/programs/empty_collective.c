/* A broadcast of nothing need not wait for its root: nobody's data is missing. Rank 1 sends after it, rank 0 enters it only
 * after that message. Fine if an empty collective is left early, as MPICH does, a deadlock if it synchronises. With one element
 * (argument "one") rank 1 needs the root: a deadlock always. */
/* explore: ranks=2 verdict=race-free buffering=infinite */
/* explore: ranks=2 verdict=found class=deadlock buffering=none */
/* explore: ranks=2 verdict=found class=deadlock */
/* explore: ranks=2 verdict=found class=deadlock args=one buffering=infinite */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, value = 0, got;
    (void)argv;
    int count = argc > 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Recv(&got, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(&value, count, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
