/* What is found in one window, or fetched from somebody's, tells that something has been put into another one, which its owner then
 * loads and stores. Both are of rank 0, but where "far" the first is of rank 1; "turned" makes them the other way round. "large" ones
 * are looked at whenever there may be something new, one after the other: what has come to the first one meanwhile must not be missed.
 *
 * "mutex": each rank adds to the number in the second window while it holds a mutex made of the first; rank 0 by loads and stores.
 * "flag": rank 1 puts a number into the second, then sets a flag in the first, which rank 0 looks at by a load after MPI_Win_sync,
 * "lock": the same under a lock that it takes anew each time, "probe": while it looks for messages, "far": by fetching it.
 * "early": the flag is set before the put is complete. "free": the mutex is not taken. "flag" is not run under mpiexec: while a rank
 * does nothing but MPI_Win_sync, MPICH does not bring the others on. */
/* explore: ranks=2 verdict=race-free args=mutex */
/* explore: ranks=2 verdict=race-free args=mutex_turned */
/* explore: ranks=2 verdict=race-free args=mutex_large */
/* explore: ranks=2 verdict=found class=rma-conflict args=mutex_free */
/* explore: ranks=2 verdict=race-free args=flag mpiexec=no */
/* explore: ranks=2 verdict=race-free args=flag_large mpiexec=no */
/* explore: ranks=2 verdict=race-free args=flag_turned mpiexec=no */
/* explore: ranks=2 verdict=found class=rma-conflict args=flag_early */
/* explore: ranks=2 verdict=race-free args=lock */
/* explore: ranks=2 verdict=race-free args=lock_turned */
/* explore: ranks=2 verdict=found class=rma-conflict args=lock_early */
/* explore: ranks=2 verdict=race-free args=probe_large */
/* explore: ranks=2 verdict=race-free args=probe_large_turned */
/* explore: ranks=2 verdict=race-free args=probe_turned */
/* explore: ranks=2 verdict=found class=rma-conflict args=probe_large_turned_early */
/* explore: ranks=2 verdict=race-free args=far */
/* explore: ranks=2 verdict=race-free args=far_turned */
/* explore: ranks=2 verdict=found class=rma-conflict args=far_early */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank;
static const char *how;
static MPI_Win signal_window, data_window;
static int *signal_memory, *data_memory;

static int starts(const char *word) { return strncmp(how, word, strlen(word)) == 0; }
static int has(const char *word) { return strstr(how, word) != NULL; }

static int exchange(int owner, int compare, int with) {
    int was;
    MPI_Win_lock(MPI_LOCK_SHARED, owner, 0, signal_window);
    MPI_Compare_and_swap(&with, &compare, &was, MPI_INT, owner, 0, signal_window);
    MPI_Win_unlock(owner, signal_window);
    return was;
}

static void add(void) {
    int number;
    if (rank == 0) {
        *data_memory = *data_memory + 1;
        return;
    }
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, data_window);
    MPI_Get(&number, 1, MPI_INT, 0, 0, 1, MPI_INT, data_window);
    MPI_Win_unlock(0, data_window);
    number += rank + 1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, data_window);
    MPI_Put(&number, 1, MPI_INT, 0, 0, 1, MPI_INT, data_window);
    MPI_Win_unlock(0, data_window);
}

static void add_in_turn(void) {
    while (!has("free") && exchange(0, 0, rank + 1) != 0)
        ;
    add();
    if (!has("free"))
        exchange(0, rank + 1, 0);
}

static void put_and_tell(int owner) {
    const int number = 17;
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, data_window);
    MPI_Put(&number, 1, MPI_INT, 0, 0, 1, MPI_INT, data_window);
    if (!has("early"))
        MPI_Win_unlock(0, data_window);
    exchange(owner, 0, 1);
    if (has("early"))
        MPI_Win_unlock(0, data_window);
}

static int looks(int owner) {
    int seen;
    if (starts("far"))
        return exchange(owner, 1, 1);
    if (starts("flag"))
        MPI_Win_sync(signal_window);
    else if (starts("probe"))
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &seen, MPI_STATUS_IGNORE);
    else
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, signal_window);
    seen = *(volatile int *)signal_memory;
    if (starts("lock"))
        MPI_Win_unlock(0, signal_window);
    return seen;
}

static void wait_for_flag(int owner) {
    if (starts("flag"))
        MPI_Win_lock_all(0, signal_window);
    while (looks(owner) == 0)
        ;
    if (starts("flag"))
        MPI_Win_unlock_all(signal_window);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    how = argc > 1 ? argv[1] : "mutex";
    MPI_Win *first = has("turned") ? &data_window : &signal_window, *second = has("turned") ? &signal_window : &data_window;
    int **of_first = has("turned") ? &data_memory : &signal_memory, **of_second = has("turned") ? &signal_memory : &data_memory;
    const MPI_Aint size = has("large") ? 100000 : sizeof(int);
    MPI_Win_allocate(size, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, of_first, first);
    MPI_Win_allocate(size, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, of_second, second);
    *signal_memory = *data_memory = 0;
    MPI_Barrier(MPI_COMM_WORLD);

    const int owner = starts("far") ? 1 : 0;
    if (starts("mutex"))
        add_in_turn();
    else if (rank == 1)
        put_and_tell(owner);
    else
        wait_for_flag(owner);
    if (rank == 0 && !starts("mutex"))
        *data_memory *= 2;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d\n", *data_memory);
    MPI_Win_free(&signal_window);
    MPI_Win_free(&data_window);
    MPI_Finalize();
    return 0;
}
