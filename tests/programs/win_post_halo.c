/* A ring in which each rank exposes its cells to both neighbours, puts its own value into their halo cells and gets their
 * middle cell. Complete, and the gets, are over as soon as the neighbours have posted; they need not wait for the
 * neighbours' wait. Mistakes: "stranger" accesses a rank that is not in the group, "wait" and "complete" end what was not
 * begun, "unended" frees the window while an epoch is open, "overlap" lets both neighbours put into one cell, "rounding"
 * adds floating-point numbers from both neighbours, whose rounding depends on the order. */
/* explore: ranks=3 verdict=race-free */
/* explore: ranks=3 verdict=found class=rma-epoch args=stranger */
/* explore: ranks=3 verdict=found class=rma-epoch args=wait */
/* explore: ranks=3 verdict=found class=rma-epoch args=complete */
/* explore: ranks=3 verdict=found class=rma-epoch args=unended says=MPI_Win_post */
/* explore: ranks=3 verdict=found class=rma-conflict args=overlap */
/* explore: ranks=3 verdict=found class=race-output args=rounding */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static double cell[4];

int main(int argc, char **argv) {
    int rank, size;
    MPI_Win window;
    MPI_Group everybody, neighbours;
    const char *mistake = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int side[2] = {(rank + size - 1) % size, (rank + 1) % size};
    double got[2] = {0, 0}, value[3] = {1e16, 1, 2};
    cell[1] = rank;
    cell[3] = -1e16;
    MPI_Win_create(cell, sizeof cell, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Comm_group(MPI_COMM_WORLD, &everybody);
    MPI_Group_incl(everybody, 2, side, &neighbours);
    if (!strcmp(mistake, "wait"))
        MPI_Win_wait(window);
    if (!strcmp(mistake, "complete"))
        MPI_Win_complete(window);
    MPI_Win_post(neighbours, 0, window);
    MPI_Win_start(neighbours, 0, window);
    if (!strcmp(mistake, "stranger"))
        MPI_Put(&cell[1], 1, MPI_DOUBLE, rank, 3, 1, MPI_DOUBLE, window);
    MPI_Put(&cell[1], 1, MPI_DOUBLE, side[0], 2, 1, MPI_DOUBLE, window);
    MPI_Put(&cell[1], 1, MPI_DOUBLE, side[1], strcmp(mistake, "overlap") ? 0 : 2, 1, MPI_DOUBLE, window);
    MPI_Get(&got[0], 1, MPI_DOUBLE, side[0], 1, 1, MPI_DOUBLE, window);
    MPI_Get(&got[1], 1, MPI_DOUBLE, side[1], 1, 1, MPI_DOUBLE, window);
    if (!strcmp(mistake, "rounding"))
        for (int i = 0; i < 2; i++)
            MPI_Accumulate(&value[rank], 1, MPI_DOUBLE, side[i], 3, 1, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_complete(window);
    /* The neighbours' MPI_Win_wait comes after this: what was got is here without it. */
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(mistake, "unended"))
        MPI_Win_wait(window);
    printf("rank %d: %g %g %g %g, got %g %g\n", rank, cell[0], cell[1], cell[2], cell[3], got[0], got[1]);
    MPI_Group_free(&neighbours);
    MPI_Group_free(&everybody);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
