/* Rank 0 begins a barrier, receives from anyone, and only then waits for the barrier; the other ranks send, before the barrier or
 * (argument "inside") between its beginning and its end, rank 2 always after it. A barrier ends when all have begun it.
 *
 *   ""        ranks 1 sends before it begins the barrier, rank 2 after its barrier is complete. The first message that rank 0
 *             receives may be rank 2's all the same: rank 1's is sent, but which message a wildcard gets is open. A race.
 *   named     the same with named sources: none.
 *   blocking  rank 0 waits for the barrier before it receives, rank 1 sends synchronously before it begins the barrier: rank 0
 *             waits for rank 1's barrier, rank 1 for rank 0's receive. A deadlock, which the nonblocking form
 *             (argument "named") has not. */
/* explore: ranks=3 verdict=found class=race-output */
/* explore: ranks=3 verdict=race-free args=named */
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
    if (rank == 1)
        MPI_Ssend(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    if (rank != 0 || strcmp(what, "blocking") == 0)
        MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    for (int i = 0; rank == 0 && i < 2; i++)
        MPI_Recv(&from[i], 1, MPI_INT, *what ? i + 1 : MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    if (rank == 0)
        printf("%d %d\n", from[0], from[1]);
    MPI_Finalize();
    return 0;
}
