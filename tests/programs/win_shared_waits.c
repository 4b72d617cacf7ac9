/* Rank 1 waits for what rank 0 stores to a shared window. By messages that it looks for or by an atomic access ("probe", "fetch") it
 * learns that what was stored before is there, but not what was stored after the flag was set ("fetch_early"). A loop of
 * MPI_Win_sync, or of nothing at all, is not told from a load that nothing orders, so it is refused; where nobody stores anything it does
 * not end ("nobody"). */
/* explore: ranks=2 verdict=race-free args=probe */
/* explore: ranks=2 verdict=race-free args=fetch */
/* explore: ranks=2 verdict=found class=rma-conflict args=fetch_early */
/* explore: ranks=2 verdict=cannot-run args=sync says=MPI_Win_sync */
/* explore: ranks=2 verdict=cannot-run args=nothing step-time=1s says=MPI */
/* explore: ranks=2 verdict=found class=livelock args=nobody */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { FLAG = 0, CELL = 1 };

static MPI_Win window;
static volatile int *shared;

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

static void store(const char *what) {
    if (strcmp(what, "fetch_early") == 0)
        set_flag();
    shared[CELL] = 5;
    MPI_Win_sync(window);
    if (strcmp(what, "probe") == 0)
        MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else if (strcmp(what, "fetch") == 0)
        set_flag();
    else if (strcmp(what, "nobody"))
        shared[FLAG] = 1;
}

static void wait(const char *what) {
    if (strcmp(what, "probe") == 0)
        await_message();
    else if (strncmp(what, "fetch", 5) == 0)
        await_flag();
    while (strcmp(what, "nothing") == 0 && !shared[FLAG])
        continue;
    while ((strcmp(what, "sync") == 0 || strcmp(what, "nobody") == 0) && !shared[FLAG])
        MPI_Win_sync(window);
    MPI_Win_sync(window);
    printf("%d\n", shared[CELL]);
    if (strcmp(what, "probe") == 0)
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
    else
        wait(what);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
