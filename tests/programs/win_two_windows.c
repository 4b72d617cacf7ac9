/* Exclusive locks on two windows at once: a number is moved from one window of rank 0 to the other, a unit at a time. The
 * sum is always the same. "opposite" takes the two locks in the other order on rank 1: a deadlock. So does "unflushed" in
 * effect: MPI_Win_lock may return before the lock is there, so that without an access completed in between, the second
 * lock may be had before the first. */
/* explore: ranks=2 verdict=race-free */
/* explore: ranks=2 verdict=found class=deadlock args=unflushed */
/* explore: ranks=2 verdict=found class=deadlock args=opposite */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int from_cell = 5, to_cell;

static int add(int amount, MPI_Win window) {
    int old;
    MPI_Get(&old, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_flush(0, window);
    int next = old + amount;
    MPI_Put(&next, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_flush(0, window);
    return next;
}

int main(int argc, char **argv) {
    int rank;
    MPI_Win window[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int size = rank == 0 ? sizeof(int) : 0;
    MPI_Win_create(&from_cell, size, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window[0]);
    MPI_Win_create(&to_cell, size, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window[1]);
    const char *mistake = argc > 1 ? argv[1] : "";
    int first = !strcmp(mistake, "opposite") && rank == 1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window[first]);
    if (strcmp(mistake, "unflushed"))
        add(0, window[first]);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window[!first]);
    add(-1, window[0]);
    add(+1, window[1]);
    MPI_Win_unlock(0, window[1]);
    MPI_Win_unlock(0, window[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d + %d\n", from_cell, to_cell);
    MPI_Win_free(&window[1]);
    MPI_Win_free(&window[0]);
    MPI_Finalize();
    return 0;
}
