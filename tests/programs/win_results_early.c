/* What an access brings is there when its epoch, a flush or its request's completion says so (MPI-3.1 11.3, 11.5.4), and not before,
 * however it is read: by a branch, as an index, in a loop that tests. Each way (what), in each kind of epoch (fence, start, lock),
 * and beside it the nearest right one. A window's memory need not be synchronised for it: MPI_Win_sync completes nothing. */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_branch */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_index */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_accumulate */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_swap */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_barrier */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_tooth */
/* explore: ranks=2 verdict=race-free args=fence_gap */
/* explore: ranks=2 verdict=race-free args=fence_nothing */
/* explore: ranks=2 verdict=found class=rma-conflict args=start_branch */
/* explore: ranks=2 verdict=found class=rma-conflict args=start_accumulate */
/* explore: ranks=2 verdict=found class=rma-conflict args=start_swap */
/* explore: ranks=2 verdict=found class=rma-conflict args=start_message */
/* explore: ranks=2 verdict=race-free args=start_nothing */
/* explore: ranks=2 verdict=found class=rma-conflict args=lock_branch */
/* explore: ranks=2 verdict=found class=rma-conflict args=lock_accumulate */
/* explore: ranks=2 verdict=found class=rma-conflict args=lock_swap */
/* explore: ranks=2 verdict=found class=rma-conflict args=lock_no_op */
/* explore: ranks=2 verdict=found class=rma-conflict args=lock_again */
/* explore: ranks=2 verdict=found class=rma-conflict args=lock_message */
/* explore: ranks=2 verdict=found class=rma-conflict args=lock_sync */
/* explore: ranks=2 verdict=race-free args=lock_flush_sync */
/* explore: ranks=2 verdict=found class=buffer-in-use args=lock_request */
/* explore: ranks=2 verdict=found class=buffer-in-use args=lock_test */
/* explore: ranks=2 verdict=race-free args=lock_tested */
/* explore: ranks=2 verdict=race-free args=lock_wait */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static MPI_Win window;
static int memory[64], fetched[8], one = 1, rank;
static const char *what;

static int is(const char *name) { return strcmp(what, name) == 0; }

static void get(void) { MPI_Get(fetched, 1, MPI_INT, 1, 0, 1, MPI_INT, window); }

static void get_comb(void) {
    MPI_Datatype comb;
    MPI_Type_vector(3, 1, 2, MPI_INT, &comb);
    MPI_Type_commit(&comb);
    MPI_Get(fetched, 1, comb, 1, 0, 3, MPI_INT, window);
    MPI_Type_free(&comb);
}

static void fetch(MPI_Op op) { MPI_Fetch_and_op(&one, fetched, MPI_INT, 1, 0, op, window); }

/* The ranks do something else that takes both. */
static void meet(int is_origin) {
    if (is("message") && is_origin)
        MPI_Recv(&one, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (is("message"))
        MPI_Send(&one, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else if (is("barrier"))
        MPI_Barrier(MPI_COMM_WORLD);
}

static int with_request(void) {
    MPI_Request request;
    int done = 0, read = 0;
    MPI_Rget(fetched, 1, MPI_INT, 1, 0, 1, MPI_INT, window, &request);
    if (is("test") || is("tested"))
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (is("request") || is("test"))
        read = fetched[0];
    if (!done)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    return read + fetched[0];
}

static int access_window(void) {
    static const int nothing;
    int read = 0;
    if (is("request") || is("test") || is("tested") || is("wait"))
        return with_request();
    if (is("tooth") || is("gap"))
        get_comb();
    else if (is("swap"))
        MPI_Compare_and_swap(&one, &nothing, fetched, MPI_INT, 1, 0, window);
    else if (is("accumulate"))
        MPI_Get_accumulate(&one, 1, MPI_INT, fetched, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, window);
    else if (is("no_op"))
        fetch(MPI_NO_OP);
    else
        get();
    if (is("again")) {
        MPI_Win_flush(1, window);
        fetch(MPI_SUM);
    }
    if (is("flush_sync"))
        MPI_Win_flush(1, window);
    if (is("sync") || is("flush_sync"))
        MPI_Win_sync(window);
    meet(1);
    if (is("branch") && fetched[0] > 50)
        read = 1;
    else if (is("index"))
        read = memory[fetched[0] & 63];
    else if (is("gap"))
        read = fetched[1];
    else if (is("tooth"))
        read = fetched[2];
    else if (!is("nothing") && !is("branch"))
        read = fetched[0];
    return read;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const char *epoch = argc > 1 ? argv[1] : "fence_nothing";
    what = strchr(epoch, '_') + 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 64; i++)
        memory[i] = 100 * (rank + 1) + i;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Group world, peer;
    int other = 1 - rank, read = 0;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &other, &peer);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strncmp(epoch, "fence", 5) == 0)
        MPI_Win_fence(0, window);
    if (strncmp(epoch, "start", 5) == 0 && rank == 0)
        MPI_Win_start(peer, 0, window);
    if (strncmp(epoch, "start", 5) == 0 && rank == 1)
        MPI_Win_post(peer, 0, window);
    if (strncmp(epoch, "lock", 4) == 0 && rank == 0)
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    if (rank == 0)
        read = access_window();
    else
        meet(0);
    if (strncmp(epoch, "fence", 5) == 0)
        MPI_Win_fence(0, window);
    if (strncmp(epoch, "start", 5) == 0 && rank == 0)
        MPI_Win_complete(window);
    if (strncmp(epoch, "start", 5) == 0 && rank == 1)
        MPI_Win_wait(window);
    if (strncmp(epoch, "lock", 4) == 0 && rank == 0)
        MPI_Win_unlock(1, window);
    printf("%d\n", read);
    MPI_Group_free(&peer);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
