/* A process accesses its own window, and uses the same bytes before the access is complete there (MPI-3.1 11.7): what an access changes
 * must be neither loaded nor stored nor sent, what it reads must not be stored. Bytes beside them, what is read of bytes that are only
 * read, and all of it after the fence, MPI_Win_wait, flush or unlock, are free; and so they are before the access. A flush at the
 * origin alone, and MPI_Win_complete, complete nothing in the window. */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_put_load says=MPI_Put */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_put_store */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_put_same_store */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_put_send */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_accumulate_load */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_get_store says=MPI_Get */
/* explore: ranks=2 verdict=race-free args=fence_get_load */
/* explore: ranks=2 verdict=race-free args=fence_put_beside */
/* explore: ranks=2 verdict=race-free args=fence_put_before_load */
/* explore: ranks=2 verdict=race-free args=fence_put_after_load */
/* explore: ranks=2 verdict=race-free args=fence_accumulate_twice */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_put_barrier_load */
/* explore: ranks=2 verdict=found class=rma-conflict args=post_put_load */
/* explore: ranks=2 verdict=found class=rma-conflict args=post_put_completed_load */
/* explore: ranks=2 verdict=found class=rma-conflict args=post_get_store */
/* explore: ranks=2 verdict=race-free args=post_put_after_load */
/* explore: ranks=2 verdict=race-free args=post_put_beside */
/* explore: ranks=2 verdict=found class=rma-conflict args=shared_put_load */
/* explore: ranks=2 verdict=found class=rma-conflict args=shared_put_store */
/* explore: ranks=2 verdict=found class=rma-conflict args=shared_put_completed_load */
/* explore: ranks=2 verdict=found class=rma-conflict args=shared_accumulate_barrier_load */
/* explore: ranks=2 verdict=found class=rma-conflict args=shared_get_store */
/* explore: ranks=2 verdict=found class=rma-conflict args=shared_rput_waited_load */
/* explore: ranks=2 verdict=found class=rma-conflict args=shared_rget_store */
/* explore: ranks=2 verdict=found class=rma-conflict args=shared_fetch_load */
/* explore: ranks=2 verdict=race-free args=shared_rget_waited_store */
/* explore: ranks=2 verdict=race-free args=shared_get_completed_store */
/* explore: ranks=2 verdict=race-free args=shared_fetch_after_load */
/* explore: ranks=2 verdict=race-free args=shared_put_after_load */
/* explore: ranks=2 verdict=race-free args=shared_put_beside */
/* explore: ranks=2 verdict=race-free args=shared_get_load */
/* explore: ranks=2 verdict=found class=rma-conflict args=exclusive_put_load */
/* explore: ranks=2 verdict=found class=rma-conflict args=exclusive_get_store */
/* explore: ranks=2 verdict=race-free args=exclusive_put_after_load */
/* explore: ranks=2 verdict=race-free args=exclusive_get_load */
/* What is fetched into the window is read before it is there. */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_into_window_load says=MPI_Get */
/* explore: ranks=2 verdict=race-free args=fence_into_window_after_load */
/* explore: ranks=2 verdict=race-free args=fence_into_window_beside */
/* explore: ranks=2 verdict=found class=rma-conflict args=shared_into_window_load */
/* explore: ranks=2 verdict=race-free args=shared_into_window_after_load */
/* ... also beside another window, which nobody touches, or another access that is in progress. */
/* explore: ranks=2 verdict=found class=rma-conflict args=shared_into_window_load_other says=MPI_Get */
/* explore: ranks=2 verdict=race-free args=shared_into_window_after_load_other */
/* explore: ranks=2 verdict=found class=rma-conflict args=shared_into_window_load_second says=MPI_Get */
/* explore: ranks=2 verdict=race-free args=shared_into_window_after_load_second */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { CELL = 1, BESIDE = 2, FETCHED = 3, CELLS = 5 };

static const char *what;
static MPI_Win window, other = MPI_WIN_NULL;
static MPI_Request request = MPI_REQUEST_NULL;
static MPI_Group self;
static int *memory, *other_memory, rank, value = 7, result;

static int has(const char *part) { return strstr(what, part) != NULL; }

static void begin(void) {
    if (has("fence")) {
        MPI_Win_fence(0, window);
    } else if (has("post")) {
        MPI_Win_post(self, 0, window);
        MPI_Win_start(self, 0, window);
    } else {
        MPI_Win_lock(has("exclusive") ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, rank, 0, window);
    }
}

static void access_self(void) {
    if (has("second"))
        MPI_Put(&value, 1, MPI_INT, rank, BESIDE, 1, MPI_INT, window);
    if (has("into_window"))
        MPI_Get(&memory[CELL], 1, MPI_INT, rank, FETCHED, 1, MPI_INT, window);
    else if (has("rput"))
        MPI_Rput(&value, 1, MPI_INT, rank, CELL, 1, MPI_INT, window, &request);
    else if (has("rget"))
        MPI_Rget(&result, 1, MPI_INT, rank, CELL, 1, MPI_INT, window, &request);
    else if (has("put"))
        MPI_Put(&value, 1, MPI_INT, rank, CELL, 1, MPI_INT, window);
    else if (has("get"))
        MPI_Get(&result, 1, MPI_INT, rank, CELL, 1, MPI_INT, window);
    else if (has("fetch"))
        MPI_Fetch_and_op(&value, &result, MPI_INT, rank, CELL, MPI_SUM, window);
    else
        MPI_Accumulate(&value, 1, MPI_INT, rank, CELL, 1, MPI_INT, MPI_SUM, window);
    if (has("twice"))
        MPI_Accumulate(&value, 1, MPI_INT, rank, CELL, 1, MPI_INT, MPI_SUM, window);
}

/* At the origin. */
static void complete(void) {
    if (has("waited"))
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (has("post"))
        MPI_Win_complete(window);
    else if (has("completed"))
        MPI_Win_flush_local(rank, window);
}

static void end(void) {
    if (has("fence"))
        MPI_Win_fence(0, window);
    else if (has("post"))
        MPI_Win_wait(window);
    else
        MPI_Win_unlock(rank, window);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void use(void) {
    int received;
    if (has("beside"))
        printf("%d\n", memory[BESIDE]++);
    else if (has("load"))
        printf("%d\n", memory[CELL]);
    else if (has("same_store"))
        memory[CELL] = 11;
    else if (has("store"))
        memory[CELL] = 99;
    else if (has("send"))
        MPI_Sendrecv(&memory[CELL], 1, MPI_INT, 1 - rank, 0, &received, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    MPI_Group world;
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : "fence_put_beside";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &rank, &self);
    MPI_Win_allocate(CELLS * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    if (has("other"))
        MPI_Win_allocate(CELLS * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &other_memory, &other);
    for (int i = 0; i < CELLS; i++)
        memory[i] = 10 + i;
    MPI_Barrier(MPI_COMM_WORLD);
    begin();
    if (has("before"))
        use();
    access_self();
    if (has("barrier"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (has("completed") || has("waited"))
        complete();
    if (!has("before") && !has("after"))
        use();
    if (!has("completed") && !has("waited") && has("post"))
        complete();
    end();
    if (has("after"))
        use();
    MPI_Win_free(&window);
    if (has("other"))
        MPI_Win_free(&other);
    MPI_Group_free(&self);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
