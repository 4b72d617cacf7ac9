/* Each process stores into its own segment of a shared window before a barrier; after it one of them stores into the first segment
 * under MPI_Win_lock_all, and all load that after another barrier: everything is ordered. Without the second barrier a load may come
 * beside the store. */
/* explore: ranks=3 verdict=race-free args=ordered */
/* explore: ranks=3 verdict=found class=rma-conflict args=unordered checkpoint=pages */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { CELLS = 4 };

int main(int argc, char **argv) {
    int rank, unit, *own, *first;
    MPI_Aint size;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(CELLS * sizeof *own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window);
    for (int i = 0; i < CELLS; i++)
        own[i] = 10 * rank + i;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_shared_query(window, 0, &size, &unit, &first);
    MPI_Win_lock_all(0, window);
    if (rank == 1)
        first[3] = 5;
    MPI_Win_sync(window);
    if (strcmp(argv[1], "ordered") == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window);
    printf("%d\n", first[3]);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
