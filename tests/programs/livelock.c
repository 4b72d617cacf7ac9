/* Rank 0 polls for a message that is never sent: it runs for ever without getting anywhere. */
/* explore: ranks=2 verdict=found class=livelock */
/* explore: ranks=2 verdict=found class=livelock buffering=infinite */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, arrived = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (rank == 0 && !arrived)
        MPI_Iprobe(1, 0, MPI_COMM_WORLD, &arrived, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
