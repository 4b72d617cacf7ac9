/* Rank 0 begins a barrier, receives two messages from anyone, and then completes the barrier. Rank 1 sends before it begins the
 * barrier, rank 2 after it has completed it. A barrier ends only when all have begun it.
 *
 *   synchronous  rank 1 begins the barrier only after rank 0 has received its message, so rank 2 sends after that: no race.
 *   standard     rank 1's send may be buffered; the barrier then ends before rank 0 has received anything, and either message
 *                can be the first. A race (unless no send is buffered).
 *   blocking     as "synchronous", but rank 0 completes the barrier before it receives: it waits for rank 1, which waits for
 *                it. A deadlock. */
/* explore: ranks=3 verdict=race-free args=synchronous */
/* explore: ranks=3 verdict=found class=race-output args=standard */
/* explore: ranks=3 verdict=race-free buffering=none args=standard */
/* explore: ranks=3 verdict=found class=deadlock args=blocking */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank, from[2];
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Request barrier;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1 && strcmp(what, "standard") == 0)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else if (rank == 1)
        MPI_Ssend(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    if (rank != 0 || strcmp(what, "blocking") == 0)
        MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    for (int i = 0; rank == 0 && i < 2; i++)
        MPI_Recv(&from[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    if (rank == 0)
        printf("%d %d\n", from[0], from[1]);
    MPI_Finalize();
    return 0;
}
