/* Ranks 1 and 2 put something into the window of rank 0, each under an exclusive lock; rank 1 before that sends a message which rank 2
 * receives after it has put. If that is buffered either may be first. In "own_places" it does not matter. The program does something else
 * before it makes its first window, so that the explorer hears of those who keep windows before it hears who has some. */
/* explore: ranks=3 verdict=found class=race-output */
/* explore: ranks=3 verdict=race-free buffering=none */
/* explore: ranks=3 verdict=race-free args=own_places */
#include <mpi.h>
#include <stdio.h>

static int cell[3];

static void put(int rank, int place, MPI_Win window) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Put(&rank, 1, MPI_INT, 0, place, 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_create(cell, rank == 0 ? sizeof cell : 0, sizeof *cell, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (rank == 1)
        MPI_Send(NULL, 0, MPI_INT, 2, 0, MPI_COMM_WORLD);
    if (rank > 0)
        put(rank, argc > 1 ? rank : 0, window);
    if (rank == 2)
        MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d %d %d\n", cell[0], cell[1], cell[2]);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
