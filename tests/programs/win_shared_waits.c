/* Rank 1 waits for what rank 0 stores to a shared window: by messages that it looks for or by an atomic access ("probe", "fetch"), or in a
 * loop that loads a flag, and calls MPI_Win_sync ("sync"), tests for a message ("test"), yields ("yield") or does nothing. Thereby it
 * learns that what was stored before is there, but not what was stored after the flag was set ("_early"). Where nobody stores
 * anything the loop does not end ("nobody"). Not run
 * under mpiexec: where a rank spins, MPICH gets no chance to bring the others on. */
/* explore: ranks=2 verdict=race-free args=probe mpiexec=no */
/* explore: ranks=2 verdict=race-free args=fetch mpiexec=no */
/* explore: ranks=2 verdict=found class=rma-conflict args=fetch_early */
/* explore: ranks=2 verdict=race-free args=sync checkpoint=pages mpiexec=no */
/* explore: ranks=3 verdict=race-free args=sync checkpoint=pages mpiexec=no */
/* explore: ranks=2 verdict=found class=rma-conflict args=sync_early checkpoint=pages */
/* explore: ranks=2 verdict=race-free args=test checkpoint=pages mpiexec=no */
/* explore: ranks=2 verdict=found class=rma-conflict args=test_early checkpoint=pages */
/* explore: ranks=2 verdict=race-free args=yield checkpoint=pages mpiexec=no */
/* explore: ranks=2 verdict=found class=rma-conflict args=yield_early checkpoint=pages */
/* explore: ranks=2 verdict=race-free args=nothing checkpoint=pages mpiexec=no */
/* explore: ranks=2 verdict=found class=rma-conflict args=nothing_early checkpoint=pages */
/* explore: ranks=2 verdict=found class=livelock args=nobody */
/* Without a loop the load of the flag is a load like any other. Nor is it a wait that the loop goes on after a number of loads. */
/* explore: ranks=2 verdict=found class=rma-conflict args=once checkpoint=pages */
/* explore: ranks=2 verdict=found class=rma-conflict args=limited checkpoint=pages */
/* The flag is loaded by a step on the way to the loop already, as part of a larger piece of memory. */
/* explore: ranks=2 verdict=found class=rma-conflict args=copied checkpoint=pages */
/* Another mistake, made by who has set the flag, is told as what it is. */
/* explore: ranks=2 verdict=found class=invalid-argument args=sync_and_mistake checkpoint=pages */
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { FLAG = 0, CELL = 1 };

static MPI_Win window;
static volatile int *shared;
static MPI_Request request = MPI_REQUEST_NULL;

static void set_flag(void) {
    int one = 1;
    MPI_Accumulate(&one, 1, MPI_INT, 0, FLAG, 1, MPI_INT, MPI_REPLACE, window);
    MPI_Win_flush(0, window);
}

static void await_flag(void) {
    int flag, nothing = 0;
    do {
        MPI_Fetch_and_op(&nothing, &flag, MPI_INT, 0, FLAG, MPI_NO_OP, window);
        MPI_Win_flush(0, window);
    } while (!flag);
}

static void await_message(void) {
    int flag = 0;
    while (!flag)
        MPI_Iprobe(0, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

static int is(const char *what, const char *name) { return strncmp(what, name, strlen(name)) == 0; }

static void store(const char *what) {
    int early = strstr(what, "_early") != NULL;
    if (early && is(what, "fetch"))
        set_flag();
    else if (early)
        shared[FLAG] = 1;
    if (early)
        MPI_Win_sync(window);
    shared[CELL] = 5;
    MPI_Win_sync(window);
    if (is(what, "probe") || is(what, "test"))
        MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (early || is(what, "probe") || is(what, "nobody"))
        return;
    if (is(what, "fetch"))
        set_flag();
    else
        shared[FLAG] = 1;
}

static void await_while_testing(void) {
    int done = 0;
    MPI_Irecv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    while (!shared[FLAG]) {
        if (!done)
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
}

static void wait(const char *what) {
    int copy[2] = {0, 0};
    if (is(what, "probe"))
        await_message();
    else if (is(what, "fetch"))
        await_flag();
    else if (is(what, "test"))
        await_while_testing();
    while (is(what, "yield") && !shared[FLAG])
        sched_yield();
    while (is(what, "nothing") && !shared[FLAG])
        continue;
    if (is(what, "copied"))
        memcpy(copy, (const void *)shared, sizeof copy);
    while ((is(what, "sync") || is(what, "nobody") || is(what, "copied")) && !shared[FLAG])
        MPI_Win_sync(window);
    for (int i = 0; i < 9 && is(what, "limited") && !shared[FLAG]; i++)
        MPI_Win_sync(window);
    if (is(what, "once"))
        printf("%d\n", shared[FLAG]);
    MPI_Win_sync(window);
    if (!is(what, "once") && !is(what, "limited"))
        printf("%d %d\n", shared[CELL], copy[CELL]);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (is(what, "probe"))
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    int rank, unit, *own;
    MPI_Aint size;
    MPI_Init(&argc, &argv);
    const char *what = argc > 1 ? argv[1] : "probe";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(rank == 0 ? 2 * sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window);
    MPI_Win_shared_query(window, 0, &size, &unit, (void *)&shared);
    MPI_Win_lock_all(0, window);
    if (rank == 0)
        store(what);
    if (rank == 0 && is(what, "sync_and_mistake"))
        MPI_Send(NULL, -1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1 || (rank > 1 && is(what, "sync")))
        wait(what);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
