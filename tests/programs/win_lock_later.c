/* An exclusive lock that is not asked for at once, as nothing is done under it yet, is had when that can be told.
 *
 *     waits       rank 0 has a lock on rank 2's window while it waits for rank 1, who needs that lock first: a deadlock if rank 0 is
 *                 first
 *     says        ... or tells rank 1 that it has the lock on its own window, and looks then what is there: what rank 1 puts comes
 *                 later
 *     collects    ... or enters a barrier with it, which rank 1 has left when it puts
 *     gets        ... or waits for what it gets, and what rank 1 stores meanwhile comes before or after both gets
 *     crossed     each has the lock on one of two windows, and asks for the other's
 *     crossed_own ... and the first is the one on its own window */
/* explore: ranks=3 verdict=found class=deadlock args=waits */
/* explore: ranks=3 verdict=race-free args=says */
/* explore: ranks=3 verdict=race-free args=collects */
/* explore: ranks=3 verdict=race-free args=gets */
/* explore: ranks=3 verdict=found class=deadlock args=crossed */
/* explore: ranks=3 verdict=found class=deadlock args=crossed_own */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static MPI_Win window, second;
static int *memory, *second_memory, rank;
static const char *what;

static int is(const char *name) { return strcmp(what, name) == 0; }

static void send_word(int to) { MPI_Send(NULL, 0, MPI_INT, to, 0, MPI_COMM_WORLD); }

static void await_word(int from) { MPI_Recv(NULL, 0, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

static void lock(int target, MPI_Win on) { MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, on); }

static void put(int target, int value) {
    lock(target, window);
    MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, window);
    MPI_Win_unlock(target, window);
}

static int get(int target) {
    int value;
    MPI_Get(&value, 1, MPI_INT, target, 0, 1, MPI_INT, window);
    MPI_Win_flush(target, window);
    return value;
}

static void first(void) {
    const int target = is("says") || is("collects") ? 0 : 2;
    lock(target, window);
    if (is("says"))
        send_word(1);
    if (is("collects"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (is("waits"))
        await_word(1);
    if (target == 0)
        printf("%d\n", *memory);
    if (is("gets"))
        printf("%d\n", get(target) == get(target));
    MPI_Win_unlock(target, window);
}

static void next(void) {
    if (is("says"))
        await_word(0);
    if (is("collects"))
        MPI_Barrier(MPI_COMM_WORLD);
    put(is("says") || is("collects") ? 0 : 2, 7);
    if (is("waits"))
        send_word(0);
}

static void cross(void) {
    const int own = is("crossed_own");
    const MPI_Win mine = rank == 0 || own ? window : second, other = rank == 0 && !own ? second : window;
    const int target = own ? rank : 2, others_target = own ? 1 - rank : 2;
    lock(target, mine);
    lock(others_target, other);
    MPI_Win_unlock(others_target, other);
    MPI_Win_unlock(target, mine);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : "waits";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    *memory = 0;
    if (is("crossed"))
        MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &second_memory, &second);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strncmp(what, "crossed", 7) == 0 && rank < 2)
        cross();
    else if (rank == 0)
        first();
    else if (rank == 1)
        next();
    else if (is("collects"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (is("crossed"))
        MPI_Win_free(&second);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
