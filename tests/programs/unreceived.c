/* Rank 1 never receives what rank 0 sends. Buffered, the message is lost at the end; unbuffered, rank 0 never ends. */
/* explore: ranks=2 verdict=found class=unreceived-message buffering=infinite */
/* explore: ranks=2 verdict=found class=deadlock buffering=none */
/* explore: ranks=2 verdict=found class=unreceived-message|deadlock buffering=all */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
