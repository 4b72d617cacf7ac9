/* Calls of the chapter to a shared window beside loads and stores to it. A put must not meet a load or store, nor a get a store, of
 * any rank in the same epoch, as it is done at any time in it, and the same holds between lock and unlock. After what ends the epoch,
 * and after a message or barrier that comes after a flush, everybody sees it. Rank 0 accesses the segment of rank 1, which
 * rank 2 looks at. */
/* explore: ranks=3 verdict=race-free args=put */
/* explore: ranks=3 verdict=found class=rma-conflict args=put_store */
/* explore: ranks=3 verdict=found class=rma-conflict args=put_load */
/* explore: ranks=3 verdict=found class=rma-conflict args=put_own_load */
/* explore: ranks=3 verdict=race-free args=put_load_elsewhere */
/* explore: ranks=3 verdict=race-free args=get_load */
/* explore: ranks=3 verdict=found class=rma-conflict args=get_store */
/* explore: ranks=3 verdict=race-free args=locked_put */
/* explore: ranks=3 verdict=found class=rma-conflict args=locked_put_store checkpoint=pages */
/* explore: ranks=3 verdict=found class=rma-conflict args=locked_put_load checkpoint=pages */
/* explore: ranks=3 verdict=found class=rma-conflict args=locked_put_own_load checkpoint=pages */
/* explore: ranks=3 verdict=found class=rma-conflict args=locked_put_told_own_load checkpoint=pages */
/* explore: ranks=3 verdict=race-free args=locked_put_load_elsewhere */
/* explore: ranks=3 verdict=race-free args=locked_get_load */
/* explore: ranks=3 verdict=found class=rma-conflict args=locked_get_store */
/* explore: ranks=2 verdict=race-free args=counter */
/* explore: ranks=2 verdict=race-free args=started */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static MPI_Win window;
static int *cell; /* of rank 1 */
static int locked;

static void begin(void) {
    if (locked)
        MPI_Win_lock_all(0, window);
    else
        MPI_Win_fence(0, window);
}

static void end(void) {
    if (!locked) {
        MPI_Win_fence(0, window);
        return;
    }
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void access_and_look(int rank, const char *what) {
    int value = 7, got = 0;
    begin();
    if (rank == 0 && strncmp(what, "put", 3) == 0)
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    if (rank == 0 && strncmp(what, "get", 3) == 0)
        MPI_Get(&got, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    if (rank == 0 && strstr(what, "_told")) /* which completes nothing */
        MPI_Send(NULL, 0, MPI_INT, 2, 0, MPI_COMM_WORLD);
    if (rank == 2 && strstr(what, "_told"))
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2 && strstr(what, "_store"))
        cell[0] = 8;
    if ((rank == 2 && strstr(what, "_load") && !strstr(what, "own")) || (rank == 0 && strstr(what, "own_load")))
        printf("%d\n", cell[strstr(what, "elsewhere") ? 1 : 0]);
    end();
    printf("%d %d\n", cell[0], got);
}

static void count(void) {
    int one = 1;
    MPI_Win_lock_all(0, window);
    MPI_Accumulate(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_flush(1, window);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%d\n", cell[0]);
}

static void start_and_post(int rank) {
    int other = 1 - rank, value = 7;
    MPI_Group world, peer;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &other, &peer);
    if (rank == 0) {
        MPI_Win_start(peer, 0, window);
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_complete(window);
    } else {
        MPI_Win_post(peer, 0, window);
        MPI_Win_wait(window);
    }
    MPI_Group_free(&peer);
    MPI_Group_free(&world);
}

int main(int argc, char **argv) {
    int rank, unit, *own;
    MPI_Aint size;
    MPI_Init(&argc, &argv);
    const char *what = argc > 1 ? argv[1] : "put";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window);
    MPI_Win_shared_query(window, 1, &size, &unit, &cell);
    locked = strncmp(what, "locked_", 7) == 0;
    if (strcmp(what, "counter") == 0)
        count();
    else if (strcmp(what, "started") == 0)
        start_and_post(rank);
    else
        access_and_look(rank, what + (locked ? 7 : 0));
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
