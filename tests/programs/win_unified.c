/* A barrier or a message is enough for what one process put to be seen by the window's owner, and for what the owner
 * stored to be seen by others (MPI_WIN_UNIFIED). Here the owner's store, a get by each other rank, a put and the owner's
 * load are separated by barriers. Without the second barrier ("unordered") the put may come before the gets of others. */
/* explore: ranks=3 verdict=race-free */
/* explore: ranks=3 verdict=found class=rma-conflict|race-output args=unordered */
/* explore: ranks=3 verdict=race-free args=exclusive */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int cell;

int main(int argc, char **argv) {
    int rank, *model, flag, got = -1, nine = 9;
    MPI_Win window;
    const char *variant = argc > 1 ? argv[1] : "";
    int type = strcmp(variant, "exclusive") ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&cell, rank == 0 ? sizeof cell : 0, sizeof cell, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_get_attr(window, MPI_WIN_MODEL, &model, &flag);
    if (*model != MPI_WIN_UNIFIED)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == 0)
        cell = 5;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank > 0) {
        MPI_Win_lock(type, 0, 0, window);
        MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_unlock(0, window);
    }
    if (strcmp(variant, "unordered"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Win_lock(type, 0, 0, window);
        MPI_Put(&nine, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_unlock(0, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d: %d %d\n", rank, cell, got);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
