/* Three ranks read rank 0's window four times each, under shared locks, while rank 0 takes its own lock on another window, alone. Locks
 * of one window keep nobody out of another, so one order is enough: each of the twelve locks, gets and unlocks is a state or two, and
 * what the windows need to begin and end a few more. If the lock made a difference there would be thousands. With the lock on the window
 * that is read rank 0 may come between any two, and what it stores there is seen or not. */
/* explore: ranks=4 verdict=race-free args=other states=200 */
/* explore: ranks=4 verdict=race-free args=other_stores states=200 */
/* explore: ranks=2 verdict=race-free args=same */
/* explore: ranks=2 verdict=found class=race-output args=same_stores */
/* Who holds the other window's lock waits for somebody who waits for it; who only reads the first one goes on. */
/* explore: ranks=3 verdict=found class=deadlock args=other_held */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { READS = 4 };

static MPI_Win window, other;
static int *memory, *other_memory, rank;

static void read_window(int show) {
    int number, sum = 0;
    for (int i = 0; i < READS; i++) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        MPI_Get(&number, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_unlock(0, window);
        sum += number;
    }
    if (show)
        printf("%d\n", sum);
}

static void lock_own(MPI_Win of, int *number, int stores) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, of);
    if (stores)
        *number = 1;
    MPI_Win_unlock(0, of);
}

/* Rank 1 has the lock, and waits for rank 2, which wants it first. */
static void hold_other(void) {
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, other);
        MPI_Get(&rank, 0, MPI_INT, 0, 0, 0, MPI_INT, other);
        MPI_Win_flush(0, other);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Recv(NULL, 0, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Win_unlock(0, other);
        return;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    read_window(0);
    if (rank == 2) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, other);
        MPI_Win_unlock(0, other);
        MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const char *what = argc > 1 ? argv[1] : "other";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &other_memory, &other);
    *memory = *other_memory = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const int stores = strstr(what, "stores") != NULL;
    if (strcmp(what, "other_held") == 0)
        hold_other();
    else if (rank > 0)
        read_window(stores);
    else if (strncmp(what, "other", 5) == 0)
        lock_own(other, other_memory, stores);
    else
        lock_own(window, memory, stores);
    MPI_Win_free(&other);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
