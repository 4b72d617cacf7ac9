/* explore: ranks=3 verdict=race-free advises=none */
/* A barrier that orders no messages, as there are none, and still is needed: what rank 1 stores in the shared window before it, rank 2
 * loads behind it. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, unit, *stored;
    MPI_Win window;
    MPI_Aint size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(rank == 0 ? sizeof *stored : 0, sizeof *stored, MPI_INFO_NULL, MPI_COMM_WORLD, &stored, &window);
    MPI_Win_shared_query(window, 0, &size, &unit, &stored);
    MPI_Win_lock_all(0, window);
    if (rank == 1)
        *stored = 5;
    MPI_Win_sync(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window);
    if (rank == 2)
        printf("%d\n", *stored);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
