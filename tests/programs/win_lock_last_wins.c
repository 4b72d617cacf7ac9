/* Two ranks put different values under exclusive locks: the one that gets its lock last wins, and the target prints it. With
 * equal values nothing shows. */
/* explore: ranks=3 verdict=found class=race-output */
/* explore: ranks=3 verdict=race-free args=equal */
#include <mpi.h>
#include <stdio.h>

static int value;

int main(int argc, char **argv) {
    int rank;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&value, sizeof value, sizeof value, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (rank > 0) {
        int mine = argc > 1 ? 7 : rank;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Put(&mine, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_unlock(0, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
    printf("%d\n", value);
    MPI_Win_unlock(rank, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
