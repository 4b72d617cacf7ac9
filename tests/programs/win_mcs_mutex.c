/* The queue lock of Mellor-Crummey and Scott, in one-sided communication: the tail of the queue is in rank 0's window,
 * and each rank waits for a flag in its own, which its predecessor sets. What it protects is no atomic update, so a
 * broken lock would show as a conflict: "broken" does not wait. */
/* explore: ranks=2 verdict=race-free */
/* explore: ranks=3 verdict=race-free checkpoint=pages mpiexec=no */
/* explore: ranks=2 verdict=found class=rma-conflict|race-output args=broken */
#include <mpi.h>
#include <stdio.h>

enum { TAIL, NEXT, BLOCKED, SHARED_NUMBER, WORDS };
static int words[WORDS] = {-1, -1, 0, 0};

static int fetch(int target, int word, MPI_Win window) {
    int nothing = 0, value;
    MPI_Fetch_and_op(&nothing, &value, MPI_INT, target, word, MPI_NO_OP, window);
    MPI_Win_flush(target, window);
    return value;
}

static void set(int target, int word, int value, MPI_Win window) {
    MPI_Accumulate(&value, 1, MPI_INT, target, word, 1, MPI_INT, MPI_REPLACE, window);
    MPI_Win_flush(target, window);
}

static void acquire(int rank, int broken, MPI_Win window) {
    int before;
    set(rank, NEXT, -1, window);
    set(rank, BLOCKED, 1, window);
    MPI_Fetch_and_op(&rank, &before, MPI_INT, 0, TAIL, MPI_REPLACE, window);
    MPI_Win_flush(0, window);
    if (before < 0 || broken)
        return;
    set(before, NEXT, rank, window);
    while (fetch(rank, BLOCKED, window))
        continue;
}

static void release(int rank, MPI_Win window) {
    int none = -1, old;
    MPI_Compare_and_swap(&none, &rank, &old, MPI_INT, 0, TAIL, window);
    MPI_Win_flush(0, window);
    if (old == rank)
        return;
    int next;
    while ((next = fetch(rank, NEXT, window)) < 0)
        continue;
    set(next, BLOCKED, 0, window);
}

int main(int argc, char **argv) {
    int rank, value;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(words, sizeof words, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock_all(0, window);
    acquire(rank, argc > 1, window);
    MPI_Get(&value, 1, MPI_INT, 0, SHARED_NUMBER, 1, MPI_INT, window);
    MPI_Win_flush(0, window);
    value++;
    MPI_Put(&value, 1, MPI_INT, 0, SHARED_NUMBER, 1, MPI_INT, window);
    MPI_Win_flush(0, window);
    if (argc == 1)
        release(rank, window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window);
    if (rank == 0)
        printf("%d\n", words[SHARED_NUMBER]);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
