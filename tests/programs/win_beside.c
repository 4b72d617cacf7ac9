/* Rank 0 and a rank of another program, win_beside_other, put to the same place of rank 1's window at once: each call is named by
 * its own program's source. */
/* explore: ranks=2 verdict=found class=rma-conflict beside=win_beside_other:1 says=win_beside_other.c */
/* explore: ranks=2 verdict=race-free */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, *memory, value = 3;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
