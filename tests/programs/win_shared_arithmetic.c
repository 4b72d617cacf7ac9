/* Segments are right behind each other, so the next rank's begins where one's own ends (MPI-3.1 section 11.2.3): a rank may reach it
 * without MPI_Win_shared_query. Each stores to the next one's segment and, after a barrier, loads from its own, or the other way
 * round. "early" lacks the barrier. */
/* explore: ranks=3 verdict=race-free args=store */
/* explore: ranks=3 verdict=race-free args=load */
/* explore: ranks=3 verdict=found class=rma-conflict args=early_store */
/* explore: ranks=3 verdict=found class=rma-conflict args=early_load */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    enum { CELLS = 5 };
    int rank, size, *own;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    const char *what = argc > 1 ? argv[1] : "store";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate_shared(CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window);
    int last = rank + 1 == size, loads = strstr(what, "load") != NULL;
    if (loads)
        own[2] = 10 + rank;
    else if (!last)
        own[CELLS + 2] = 10 + rank;
    if (strncmp(what, "early", 5))
        MPI_Barrier(MPI_COMM_WORLD);
    if (!loads)
        printf("%d\n", own[2]);
    else if (!last)
        printf("%d\n", own[CELLS + 2]);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
