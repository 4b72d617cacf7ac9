/* Windows made of memory that belongs to a shared window, by all ranks of their own segments, and in "whole" by rank 0 of all of them.
 * What is put through the one is loaded through the other once it is complete and that has been heard of: by its origin after
 * MPI_Win_flush, by others after a barrier that follows it, or after the fence or MPI_Win_wait that ends the epoch. Before that a load
 * or store is beside it, and so is an access through the other window. A lock on the one does not exclude one on the other; among
 * those who take it, it keeps loads and stores apart as well. Ranks 0 and 2 access the segment of rank 1. */
/* explore: ranks=2 verdict=race-free args=put */
/* explore: ranks=2 verdict=race-free args=accumulate */
/* explore: ranks=2 verdict=race-free args=get_accumulate */
/* explore: ranks=2 verdict=race-free args=fetch_and_op */
/* explore: ranks=2 verdict=race-free args=compare_and_swap */
/* explore: ranks=2 verdict=race-free args=rget */
/* explore: ranks=2 verdict=found class=rma-conflict args=put_unflushed checkpoint=pages */
/* explore: ranks=2 verdict=found class=rma-conflict args=accumulate_unflushed checkpoint=pages */
/* explore: ranks=2 verdict=found class=rma-conflict args=put_unflushed_told checkpoint=pages */
/* explore: ranks=3 verdict=race-free args=other */
/* explore: ranks=3 verdict=found class=rma-conflict args=other_early checkpoint=pages */
/* explore: ranks=2 verdict=race-free args=store */
/* explore: ranks=2 verdict=found class=rma-conflict args=store_early checkpoint=pages */
/* explore: ranks=3 verdict=race-free args=both */
/* explore: ranks=3 verdict=found class=rma-conflict args=both_early */
/* explore: ranks=3 verdict=found class=rma-conflict args=both_get checkpoint=pages */
/* explore: ranks=2 verdict=race-free args=lock */
/* explore: ranks=2 verdict=found class=rma-conflict args=lock_either checkpoint=pages */
/* explore: ranks=2 verdict=found class=rma-conflict args=lock_shared checkpoint=pages */
/* explore: ranks=3 verdict=race-free args=fence */
/* explore: ranks=3 verdict=race-free args=fence_asserts */
/* explore: ranks=3 verdict=race-free args=fence_fetch */
/* explore: ranks=3 verdict=race-free args=fence_before */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence_load checkpoint=pages */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence_same checkpoint=pages */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence_store checkpoint=pages */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence_both */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence_lock */
/* explore: ranks=3 verdict=found class=rma-conflict args=shared_fence */
/* explore: ranks=3 verdict=race-free args=shared_fence_apart */
/* explore: ranks=3 verdict=race-free args=post */
/* explore: ranks=3 verdict=race-free args=post_fetch */
/* explore: ranks=3 verdict=found class=rma-conflict args=post_load checkpoint=pages */
/* explore: ranks=3 verdict=race-free args=whole */
/* explore: ranks=3 verdict=found class=rma-conflict args=whole_early checkpoint=pages */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { CELLS = 2 };

static MPI_Win shared, window;
static int *cell; /* of rank 1 */
static const char *what;
static int rank, none, one = 1, seven = 7, got;

static int is(const char *name) { return strcmp(what, name) == 0; }
static int begins(const char *name) { return strncmp(what, name, strlen(name)) == 0; }
static int is_early(void) { return strstr(what, "_early") != NULL; }

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

static void access_cell(void) {
    MPI_Request request;
    if (begins("accumulate"))
        MPI_Accumulate(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, window);
    else if (begins("get_accumulate"))
        MPI_Get_accumulate(&one, 1, MPI_INT, &got, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, window);
    else if (begins("fetch_and_op"))
        MPI_Fetch_and_op(&one, &got, MPI_INT, 1, 0, MPI_SUM, window);
    else if (begins("compare_and_swap"))
        MPI_Compare_and_swap(&one, &none, &got, MPI_INT, 1, 0, window);
    else if (begins("rget")) {
        MPI_Rget(&got, 1, MPI_INT, 1, 0, 1, MPI_INT, window, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else
        MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
}

/* Access, flush, load. */
static void flush_and_load(void) {
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        access_cell();
        if (!strstr(what, "_unflushed"))
            MPI_Win_flush(1, window);
        if (strstr(what, "_told"))
            MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
        printf("%d %d\n", cell[0], got);
    } else if (strstr(what, "_told")) {
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock_all(window);
}

static void look_elsewhere(void) {
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        access_cell();
        MPI_Win_flush(1, window);
    }
    if (!is_early())
        barrier();
    if (rank == 2)
        printf("%d\n", cell[0]);
    MPI_Win_unlock_all(window);
}

static void store_and_put(void) {
    MPI_Win_lock_all(0, window);
    if (rank == 1)
        cell[0] = 3;
    if (!is_early())
        barrier();
    if (rank == 0)
        access_cell();
    MPI_Win_unlock_all(window);
    barrier();
    if (rank == 1)
        printf("%d\n", cell[0]);
}

/* The same cell through both windows. */
static void access_both(void) {
    MPI_Win_lock_all(0, window);
    MPI_Win_lock_all(0, shared);
    if (rank == 0) {
        access_cell();
        MPI_Win_flush(1, window);
    }
    if (is("both"))
        barrier();
    if (rank == 2 && is("both_get"))
        MPI_Get(&got, 1, MPI_INT, 1, 0, 1, MPI_INT, shared);
    else if (rank == 2)
        MPI_Put(&seven, 1, MPI_INT, 1, 0, 1, MPI_INT, shared);
    MPI_Win_unlock_all(shared);
    MPI_Win_unlock_all(window);
    barrier();
    if (rank == 1)
        printf("%d\n", cell[0]);
}

static void lock_and_add(void) {
    MPI_Win by = is("lock_either") && rank == 1 ? shared : window;
    MPI_Win_lock(is("lock_shared") ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 1, 0, by);
    cell[0]++;
    MPI_Win_unlock(1, by);
    barrier();
    printf("%d\n", cell[0]);
}

static void fence(void) {
    int same = 0;
    if (rank == 2 && is("fence_before"))
        cell[0] = 5;
    MPI_Win_fence(is("fence_asserts") ? MPI_MODE_NOPRECEDE : 0, window);
    if (rank == 0 && is("fence_same"))
        MPI_Put(&same, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    else if (is("fence_fetch") && rank != 1)
        MPI_Fetch_and_op(&one, &got, MPI_INT, 1, 0, MPI_SUM, window);
    else if (rank == 0 || (rank == 2 && is("fence_both")))
        access_cell();
    if (rank == 2 && (is("fence_load") || is("fence_same")))
        printf("%d\n", cell[0]);
    if (rank == 2 && is("fence_store"))
        cell[0] = 4;
    if (rank == 2 && is("fence_lock")) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, shared);
        MPI_Get(&got, 1, MPI_INT, 1, 0, 1, MPI_INT, shared);
        MPI_Win_unlock(1, shared);
    }
    MPI_Win_fence(is("fence_asserts") ? MPI_MODE_NOSUCCEED : 0, window);
    printf("%d\n", cell[0]);
    MPI_Reduce(&got, &same, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

/* An epoch of fences of the shared window itself, beside one of locks of the other. */
static void fence_shared(void) {
    MPI_Win_fence(0, shared);
    if (rank == 0)
        MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, shared);
    if (rank == 2) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
        MPI_Get(&got, 1, MPI_INT, 1, is("shared_fence_apart"), 1, MPI_INT, window);
        MPI_Win_unlock(1, window);
    }
    MPI_Win_fence(0, shared);
    printf("%d %d\n", cell[0], got);
}

static void start_and_post(void) {
    int origin[] = {0, 2}, target = 1, sum;
    MPI_Group world, origins, targets;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, is("post_fetch") ? 2 : 1, origin, &origins);
    MPI_Group_incl(world, 1, &target, &targets);
    if (rank == 1) {
        MPI_Win_post(origins, 0, window);
        MPI_Win_wait(window);
        printf("%d\n", cell[0]);
    } else if (rank == 0 || is("post_fetch")) {
        MPI_Win_start(targets, 0, window);
        if (is("post_fetch"))
            MPI_Fetch_and_op(&one, &got, MPI_INT, 1, 0, MPI_SUM, window);
        else
            access_cell();
        MPI_Win_complete(window);
    }
    if (rank == 2 && is("post_load"))
        printf("%d\n", cell[0]);
    MPI_Reduce(&got, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d\n", sum);
    MPI_Group_free(&world);
    MPI_Group_free(&origins);
    MPI_Group_free(&targets);
}

/* Two cells, one in each of two segments. */
static void access_whole(void) {
    MPI_Win_lock_all(0, window);
    if (rank == 2) {
        int value[2] = {8, 9};
        MPI_Put(value, 2, MPI_INT, 0, CELLS - 1, 2, MPI_INT, window);
    }
    if (!is_early()) {
        MPI_Win_flush_all(window);
        barrier();
    }
    if (rank == 1)
        printf("%d %d\n", cell[-1], cell[0]);
    MPI_Win_unlock_all(window);
}

int main(int argc, char **argv) {
    int unit, *own, *first;
    MPI_Aint size;
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : "put";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &own, &shared);
    MPI_Win_shared_query(shared, 1, &size, &unit, &cell);
    MPI_Win_shared_query(shared, 0, &size, &unit, &first);
    if (begins("whole"))
        MPI_Win_create(first, rank == 0 ? 3 * CELLS * sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    else
        MPI_Win_create(own, CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (begins("other"))
        look_elsewhere();
    else if (begins("store"))
        store_and_put();
    else if (begins("both"))
        access_both();
    else if (begins("lock"))
        lock_and_add();
    else if (begins("fence"))
        fence();
    else if (begins("shared_fence"))
        fence_shared();
    else if (begins("post"))
        start_and_post();
    else if (begins("whole"))
        access_whole();
    else
        flush_and_load();
    MPI_Win_free(&window);
    MPI_Win_free(&shared);
    MPI_Finalize();
    return 0;
}
