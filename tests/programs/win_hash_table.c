/* A hash table over all ranks: slots are claimed by MPI_Compare_and_swap, values are in another window, under locks that keep others
 * out, and insertions are counted in a third. Everybody adds to one key, and has a key of its own; where a key is may depend on who
 * came first, sums of keys and values do not. */
/* explore: ranks=2 verdict=race-free */
/* explore: ranks=3 verdict=race-free checkpoint=pages */
/* The value is fetched under one lock and put back under the next one: what others add in between is lost. */
/* explore: ranks=2 verdict=found class=race-output args=lost */
/* explore: ranks=3 verdict=found class=race-output args=lost checkpoint=pages */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { SLOTS = 3 };

static MPI_Win keys, values, counter;
static long *key, *value, *count;
static int rank, size, loses;

static void add_under_one_lock(int home, int slot, long amount) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, home, 0, values);
    MPI_Accumulate(&amount, 1, MPI_LONG, home, slot, 1, MPI_LONG, MPI_SUM, values);
    MPI_Win_unlock(home, values);
}

static void add_under_two_locks(int home, int slot, long amount) {
    long sum;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, home, 0, values);
    MPI_Get(&sum, 1, MPI_LONG, home, slot, 1, MPI_LONG, values);
    MPI_Win_unlock(home, values);
    sum += amount;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, home, 0, values);
    MPI_Put(&sum, 1, MPI_LONG, home, slot, 1, MPI_LONG, values);
    MPI_Win_unlock(home, values);
}

/* The key's slot at its home, claimed if it is not there yet; -1: all are taken. */
static int claim(int home, long wanted) {
    for (int tries = 0; tries < SLOTS; tries++) {
        const int slot = (int)(wanted / size + tries) % SLOTS;
        const long none = 0;
        long was;
        MPI_Win_lock(MPI_LOCK_SHARED, home, 0, keys);
        MPI_Compare_and_swap(&wanted, &none, &was, MPI_LONG, home, slot, keys);
        MPI_Win_unlock(home, keys);
        if (was == none || was == wanted)
            return slot;
    }
    return -1;
}

static void insert(long wanted, long amount) {
    const int home = (int)(wanted % size), slot = claim(home, wanted);
    const long one = 1;
    long before;
    if (slot < 0)
        return;
    if (loses)
        add_under_two_locks(home, slot, amount);
    else
        add_under_one_lock(home, slot, amount);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, counter);
    MPI_Fetch_and_op(&one, &before, MPI_LONG, 0, 0, MPI_SUM, counter);
    MPI_Win_unlock(0, counter);
}

static long sum_own(MPI_Win window, const long *slot) {
    long sum = 0;
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
    for (int i = 0; i < SLOTS; i++)
        sum += slot[i];
    MPI_Win_unlock(rank, window);
    return sum;
}

static long *make(long slots, MPI_Win *window) {
    long *memory;
    MPI_Win_allocate(slots * (MPI_Aint)sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, window);
    memset(memory, 0, (size_t)slots * sizeof *memory);
    return memory;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    loses = argc > 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    key = make(SLOTS, &keys);
    value = make(SLOTS, &values);
    count = make(1, &counter);
    MPI_Barrier(MPI_COMM_WORLD);
    insert(5, rank + 1);
    insert(10 + rank, 7);
    MPI_Barrier(MPI_COMM_WORLD);
    const long own[] = {sum_own(keys, key), sum_own(values, value)};
    long all[2];
    MPI_Reduce(own, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, counter);
        printf("%ld keys add to %ld, values to %ld\n", *count, all[0], all[1]);
        MPI_Win_unlock(0, counter);
    }
    MPI_Win_free(&counter);
    MPI_Win_free(&values);
    MPI_Win_free(&keys);
    MPI_Finalize();
    return 0;
}
