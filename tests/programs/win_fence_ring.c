/* Each rank puts into its right neighbour's window between fences, gets from it, and all accumulate into rank 0's.
 * Integer sums are the same in every order, so nothing depends on any; with "replace" the last accumulate wins, with
 * "fetch" each origin sees those before it, and with "overlap" two puts are to the same bytes, which is undefined. */
/* explore: ranks=3 verdict=race-free */
/* explore: ranks=3 verdict=found class=race-output args=replace says=MPI_Accumulate */
/* explore: ranks=3 verdict=found class=race-output args=fetch says=MPI_Get_accumulate */
/* explore: ranks=3 verdict=found class=rma-conflict args=overlap */
/* explore: ranks=3 verdict=found class=rma-conflict args=store */
/* explore: ranks=3 verdict=found class=rma-conflict args=origin */
/* explore: ranks=3 verdict=found class=rma-epoch args=outside */
/* explore: ranks=3 verdict=found class=rma-epoch args=noprecede */
/* explore: ranks=3 verdict=found class=invalid-argument args=bounds */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int window_memory[4];

int main(int argc, char **argv) {
    int rank, size, sum = 0, from_right = -1, old = -1;
    MPI_Win window;
    const char *mistake = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_create(window_memory, sizeof window_memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (!strcmp(mistake, "outside"))
        MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    int given = rank;
    MPI_Put(&given, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
    if (!strcmp(mistake, "overlap") && rank == 2)
        MPI_Put(&given, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    if (!strcmp(mistake, "store") && rank == 1)
        window_memory[0] = 77;
    if (!strcmp(mistake, "origin"))
        given = 1000;
    if (!strcmp(mistake, "bounds"))
        MPI_Put(&given, 1, MPI_INT, 0, 4, 1, MPI_INT, window);
    MPI_Win_fence(strcmp(mistake, "noprecede") ? 0 : MPI_MODE_NOPRECEDE, window);
    int one = rank + 1;
    MPI_Get(&from_right, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
    if (!strcmp(mistake, "fetch"))
        MPI_Get_accumulate(&one, 1, MPI_INT, &old, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, window);
    else
        MPI_Accumulate(&one, 1, MPI_INT, 0, 1, 1, MPI_INT, strcmp(mistake, "replace") ? MPI_SUM : MPI_REPLACE, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    sum = window_memory[1];
    printf("rank %d has %d, its right neighbour %d, sum %d, old %d\n", rank, window_memory[0], from_right, sum, old);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
