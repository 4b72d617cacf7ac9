/* Everybody sends synchronously to the right before receiving from the left: deadlock however standard sends are buffered.
 * With the argument "standard" the sends are standard ones (thesis figure 5.12), and infinite buffering saves the ring. */
/* explore: ranks=4 verdict=found class=deadlock */
/* explore: ranks=4 verdict=found class=deadlock buffering=none */
/* explore: ranks=4 verdict=found class=deadlock buffering=infinite */
/* explore: ranks=4 verdict=found class=deadlock buffering=all args=standard */
/* explore: ranks=4 verdict=race-free buffering=infinite args=standard */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, ranks, from_left;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    if (argc > 1)
        MPI_Send(&rank, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
    else
        MPI_Ssend(&rank, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
    MPI_Recv(&from_left, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
