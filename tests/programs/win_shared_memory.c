/* MPI_Win_allocate_shared: one's own segment and another's ("other"), an empty one, and RMA calls between fences. */
/* explore: ranks=2 verdict=race-free */
/* explore: ranks=2 verdict=race-free args=other */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, unit, *own, *base, got = -1;
    MPI_Aint size;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(rank == 0 ? 2 * sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window);
    MPI_Win_shared_query(window, rank == 0 || argc > 1 ? 0 : 1, &size, &unit, &base);
    MPI_Win_fence(0, window);
    if (rank == 0)
        base[1] = 6;
    MPI_Win_fence(0, window);
    MPI_Get(&got, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    printf("rank %d: %d bytes, %d, got %d\n", rank, (int)size, unit, got);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
