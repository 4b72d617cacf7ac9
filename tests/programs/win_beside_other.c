/* The other program of win_beside: its last rank puts to rank 1. Its code lies elsewhere than that one's. */
/* explore: ranks=2 verdict=race-free */
#include <mpi.h>
#include <stdlib.h>

static int square(int argc) { return argc * argc - argc; }

int main(int argc, char **argv) {
    int rank, ranks, *memory, value = 7;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (square(argc) > 100)
        return EXIT_FAILURE;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    if (rank == ranks - 1)
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
