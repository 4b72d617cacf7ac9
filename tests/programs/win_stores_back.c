/* The owner of a window stores back what it has just loaded, where another process puts or accumulates at the same time: which of the
 * two is lost depends on the order (MPI-3.1 11.7), though no run shows more than that memory stays as it is. So it is whatever the
 * owner has said to the other before, in an epoch of fences or of post; under locks, unless one has heard of the other. What is stored
 * beside it, some times even into the same line of memory, is no conflict. The same holds of what the owner itself puts, and of the
 * buffers that accesses fetch into, until they are complete. */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence says=(win_stores_back.c:67) */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_accumulate says=MPI_Accumulate */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_told says=MPI_Put */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_block says=MPI_Put */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_local_call says=MPI_Put */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_reduce says=MPI_Put */
/* explore: ranks=2 verdict=found class=rma-conflict args=post says=MPI_Put */
/* explore: ranks=2 verdict=found class=rma-conflict args=post_told says=MPI_Put */
/* explore: ranks=2 verdict=found class=rma-conflict args=post_reduce says=MPI_Put */
/* explore: ranks=2 verdict=found class=rma-conflict args=lock_shared says=MPI_Put */
/* explore: ranks=2 verdict=found class=rma-conflict args=lock_exclusive says=MPI_Put */
/* explore: ranks=2 verdict=found class=rma-conflict args=lock_shared_accumulate says=MPI_Accumulate */
/* explore: ranks=2 verdict=found class=rma-conflict args=lock_shared_owner_too says=MPI_Put */
/* explore: ranks=2 verdict=found class=rma-conflict args=itself_put says=(win_stores_back.c:67) */
/* explore: ranks=2 verdict=found class=rma-conflict args=itself_accumulate says=MPI_Accumulate */
/* explore: ranks=2 verdict=found class=rma-conflict args=fetch says=MPI_Get */
/* explore: ranks=2 verdict=found class=buffer-in-use args=request says=MPI_Rget */
/* explore: ranks=2 verdict=race-free args=fence_elsewhere */
/* explore: ranks=2 verdict=race-free args=fence_elsewhere_told */
/* explore: ranks=2 verdict=race-free args=fence_elsewhere_block */
/* explore: ranks=2 verdict=race-free args=fence_elsewhere_local_call */
/* explore: ranks=2 verdict=race-free args=fence_elsewhere_reduce */
/* explore: ranks=2 verdict=race-free args=fence_before */
/* explore: ranks=2 verdict=race-free args=post_elsewhere */
/* explore: ranks=2 verdict=race-free args=post_elsewhere_told */
/* explore: ranks=2 verdict=race-free args=post_before */
/* explore: ranks=2 verdict=race-free args=lock_shared_elsewhere */
/* explore: ranks=2 verdict=race-free args=lock_exclusive_elsewhere */
/* explore: ranks=2 verdict=race-free args=lock_exclusive_owner_too */
/* explore: ranks=2 verdict=race-free args=lock_shared_told */
/* explore: ranks=2 verdict=race-free args=lock_shared_elsewhere_accumulate */
/* explore: ranks=2 verdict=race-free args=lock_shared_elsewhere_owner_too */
/* explore: ranks=2 verdict=race-free args=itself_put_elsewhere */
/* explore: ranks=2 verdict=race-free args=itself_put_completed */
/* explore: ranks=2 verdict=race-free args=itself_accumulate_elsewhere */
/* explore: ranks=2 verdict=race-free args=fetch_elsewhere */
/* explore: ranks=2 verdict=race-free args=fetch_completed */
/* explore: ranks=2 verdict=race-free args=request_elsewhere */
/* explore: ranks=2 verdict=race-free args=request_completed */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const char *what;
static MPI_Win window;
static int *memory, rank;

static int has(const char *part) { return strstr(what, part) != NULL; }

static void store_back(int *at) {
    volatile int *cell = &at[has("elsewhere") ? 2 : 1];
    volatile size_t bytes = 2 * sizeof *cell;
    int copy[2], zero = 0, size;
    if (has("local_call"))
        MPI_Type_size(MPI_INT, &size);
    if (has("reduce")) {
        MPI_Reduce_local(&zero, (int *)cell, 1, MPI_INT, MPI_SUM);
    } else if (has("block")) {
        memcpy(copy, (int *)cell, bytes);
        memcpy((int *)cell, copy, bytes);
    } else {
        *cell = *cell * 1;
    }
}

static void change(void) {
    static const int value = 9;
    if (has("accumulate"))
        MPI_Accumulate(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, window);
    else
        MPI_Put(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
}

static void tell(int from) {
    if (has("told") && rank == from)
        MPI_Send(NULL, 0, MPI_INT, 1 - from, 0, MPI_COMM_WORLD);
    else if (has("told"))
        MPI_Recv(NULL, 0, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void in_epoch(void) {
    if (rank == 0 && !has("before"))
        store_back(memory);
    tell(0);
    if (rank == 1)
        change();
}

static void by_fences(void) {
    MPI_Win_fence(0, window);
    in_epoch();
    MPI_Win_fence(0, window);
}

static void by_post(void) {
    const int other = 1 - rank;
    MPI_Group world, group;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &other, &group);
    if (rank == 0)
        MPI_Win_post(group, 0, window);
    else
        MPI_Win_start(group, 0, window);
    in_epoch();
    if (rank == 0)
        MPI_Win_wait(window);
    else
        MPI_Win_complete(window);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

static void by_locks(void) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Win_lock(has("shared") ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, window);
        change();
        MPI_Win_unlock(0, window);
    }
    tell(1);
    if (rank == 0 && has("owner_too"))
        MPI_Win_lock(has("shared") ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, window);
    if (rank == 0)
        store_back(memory);
    if (rank == 0 && has("owner_too"))
        MPI_Win_unlock(0, window);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void by_fences_alone(void) {
    MPI_Win_fence(0, window);
    if (rank == 0)
        change();
    if (has("completed"))
        MPI_Win_fence(0, window);
    if (rank == 0)
        store_back(memory);
    MPI_Win_fence(0, window);
}

static void by_fetching(void) {
    static int fetched[16];
    MPI_Request request;
    MPI_Win_lock_all(0, window);
    if (has("request"))
        MPI_Rget(&fetched[1], 1, MPI_INT, 0, 1, 1, MPI_INT, window, &request);
    else
        MPI_Get(&fetched[1], 1, MPI_INT, 0, 1, 1, MPI_INT, window);
    if (!has("completed"))
        store_back(fetched);
    if (has("request"))
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_flush_all(window);
    if (has("completed"))
        store_back(fetched);
    MPI_Win_unlock_all(window);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    what = argv[1];
    MPI_Win_allocate(16 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    for (int i = 0; i < 16; i++)
        memory[i] = i;
    if (has("before"))
        store_back(memory);
    MPI_Barrier(MPI_COMM_WORLD);
    if (has("fence"))
        by_fences();
    else if (has("post"))
        by_post();
    else if (has("itself"))
        by_fences_alone();
    else if (has("fetch") || has("request"))
        by_fetching();
    else
        by_locks();
    if (rank == 0)
        printf("%d\n", memory[1]);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
