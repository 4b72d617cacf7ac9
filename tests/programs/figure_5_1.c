/* Thesis figure 5.1, listing 5.8: rank 0 sends one message to rank 1, everybody else receives from rank 0. With two ranks
 * that is right. With three, rank 2 waits for a message that nobody sends, in every ordering. */
/* explore: ranks=2 verdict=race-free */
/* explore: ranks=3 verdict=found class=deadlock */
/* explore: ranks=3 verdict=found class=deadlock buffering=infinite */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, buffer[4] = {1, 2, 3, 4};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(buffer, 4, MPI_INT, 1, 5, MPI_COMM_WORLD);
    else
        MPI_Recv(buffer, 4, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
