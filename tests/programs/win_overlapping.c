/* Two windows of the same memory of rank 0, the second from its second integer on (MPI-3.1 11.2.1): what is done through one is seen
 * through the other and by the owner, once it is complete. Accesses through both at the same time must not meet, whatever locks are
 * held: they are locks of different windows; nor must atomic ones.
 *
 *     put_get          rank 1 puts through the first, then rank 2 gets through the second
 *     owner_stores     rank 0 stores, then both get, each through another one: reading goes with reading
 *     owner_reads      rank 1 puts through the first, then rank 2 through the second, then rank 0 reads
 *     both_put         ... at the same time
 *     both_locked      ... with exclusive locks; locked_one: of one window, where one comes after the other
 *     apart            ... to different places
 *     both_add         accumulates; add_one: through one window
 *     both_fetch       MPI_Fetch_and_op; fetch_one: through one window
 *     origin           rank 1 puts through both, and completes the one after the other; origin_flushed: the first is complete before
 *     origin_fetched   ... gets by MPI_Rget through the second, having put through the first
 *     store_put        rank 0 stores while rank 1 puts through the second
 *     load_put         ... loads
 *     fence            rank 1 puts through the first, then rank 2 through the second between fences
 *     fences_both      ... at the same time, between fences of both, and what there is already
 *     fences_in_turn   ... each between fences of its window
 *     beside_put_get   ... rank 2 gets, and what rank 1 puts changes nothing; beside_get_put: the other way round; beside_get_get
 *     beside_add_add   accumulates
 *     beside_put_last  ... rank 2 puts the last byte of what rank 1 puts; beside_put_next: the first after
 *                      that; beside_put_before: the last before that
 *     beside_posted    as beside_put_get, but in epochs of MPI_Win_post
 *     beside_after     ... the access of rank 2 comes after a fence of the first window, in which rank 0, where both are, may still be
 *     beside_fetched   ... in which something is fetched, too
 *     beside_barrier   ... after a barrier behind that fence, by which it is complete; so the epoch of the second may go on
 *     beside_word      ... and a message, by which rank 2 has heard more than what all knew at the barrier
 *     beside_own       rank 0 puts there through the second when it is behind the fence; beside_early: before it
 *     later            the second is made after rank 1 has put
 *     freed            the first is freed before rank 2 puts through the second
 *
 * Not run under mpiexec: MPICH 4.0 takes the second window to begin where the first does. */
/* explore: ranks=3 verdict=race-free args=put_get mpiexec=no */
/* explore: ranks=3 verdict=race-free args=owner_stores mpiexec=no */
/* explore: ranks=3 verdict=race-free args=owner_reads mpiexec=no */
/* explore: ranks=3 verdict=found class=rma-conflict args=both_put */
/* explore: ranks=3 verdict=found class=rma-conflict args=both_locked */
/* explore: ranks=3 verdict=race-free args=locked_one mpiexec=no */
/* explore: ranks=3 verdict=race-free args=apart mpiexec=no */
/* explore: ranks=3 verdict=found class=rma-conflict args=both_add */
/* explore: ranks=3 verdict=race-free args=add_one mpiexec=no */
/* explore: ranks=3 verdict=found class=rma-conflict args=both_fetch */
/* explore: ranks=3 verdict=race-free args=fetch_one mpiexec=no */
/* explore: ranks=2 verdict=found class=rma-conflict args=origin */
/* explore: ranks=2 verdict=race-free args=origin_flushed mpiexec=no */
/* explore: ranks=2 verdict=found class=rma-conflict args=origin_fetched */
/* explore: ranks=3 verdict=found class=rma-conflict args=store_put */
/* explore: ranks=3 verdict=found class=rma-conflict args=load_put */
/* explore: ranks=3 verdict=race-free args=fence mpiexec=no */
/* explore: ranks=3 verdict=found class=rma-conflict args=fences_both */
/* explore: ranks=3 verdict=race-free args=fences_in_turn mpiexec=no */
/* explore: ranks=3 verdict=found class=rma-conflict args=beside_put_get */
/* explore: ranks=3 verdict=found class=rma-conflict args=beside_get_put */
/* explore: ranks=3 verdict=race-free args=beside_get_get mpiexec=no */
/* explore: ranks=3 verdict=found class=rma-conflict args=beside_add_add */
/* explore: ranks=3 verdict=found class=rma-conflict args=beside_put_last */
/* explore: ranks=3 verdict=race-free args=beside_put_next mpiexec=no */
/* explore: ranks=3 verdict=race-free args=beside_put_before mpiexec=no */
/* explore: ranks=3 verdict=found class=rma-conflict args=beside_posted */
/* explore: ranks=3 verdict=found class=rma-conflict args=beside_after */
/* explore: ranks=3 verdict=found class=rma-conflict args=beside_fetched */
/* explore: ranks=3 verdict=race-free args=beside_barrier mpiexec=no */
/* explore: ranks=3 verdict=race-free args=beside_word mpiexec=no */
/* explore: ranks=3 verdict=race-free args=beside_own mpiexec=no */
/* explore: ranks=3 verdict=found class=rma-conflict args=beside_early */
/* explore: ranks=3 verdict=race-free args=later mpiexec=no */
/* explore: ranks=3 verdict=race-free args=freed mpiexec=no */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { NUMBERS = 4, PLACE = 2 };

static const char *what = "";
static int rank, memory[NUMBERS];
static MPI_Win window[2]; /* memory[PLACE] is at PLACE in the first, and at PLACE - 1 in the second */

static bool is(const char *wanted) { return strcmp(what, wanted) == 0; }
static bool ends(const char *wanted) {
    return strlen(what) >= strlen(wanted) && strcmp(what + strlen(what) - strlen(wanted), wanted) == 0;
}

static void make(int which) {
    MPI_Aint size = rank == 0 ? (NUMBERS - which) * (MPI_Aint)sizeof(int) : 0;
    MPI_Win_create(memory + which, size, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window[which]);
}

static void expect(int got, int wanted) {
    if (got == wanted)
        return;
    fprintf(stderr, "%d instead of %d\n", got, wanted);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void put(int which, int place, int value) {
    MPI_Win_lock(strstr(what, "locked") ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 0, 0, window[which]);
    MPI_Put(&value, 1, MPI_INT, 0, place - which, 1, MPI_INT, window[which]);
    MPI_Win_unlock(0, window[which]);
}

static int get(int which, int place) {
    int value = 0;
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window[which]);
    MPI_Get(&value, 1, MPI_INT, 0, place - which, 1, MPI_INT, window[which]);
    MPI_Win_unlock(0, window[which]);
    return value;
}

static void add(int which, int place) {
    int two = 2, before;
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window[which]);
    if (strstr(what, "fetch"))
        MPI_Fetch_and_op(&two, &before, MPI_INT, 0, place - which, MPI_SUM, window[which]);
    else
        MPI_Accumulate(&two, 1, MPI_INT, 0, place - which, 1, MPI_INT, MPI_SUM, window[which]);
    MPI_Win_unlock(0, window[which]);
}

/* Ranks 1 and 2 at the same time. */
static void at_the_same_time(void) {
    int which = rank == 2 && !ends("one");
    if (strstr(what, "add") || strstr(what, "fetch")) {
        if (rank > 0)
            add(which, PLACE);
    } else if (rank > 0) {
        put(which, is("apart") ? PLACE + rank - 1 : PLACE, rank);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && (ends("add_one") || ends("fetch_one")))
        expect(memory[PLACE], 4);
    if (rank == 0 && is("apart"))
        expect(memory[PLACE] + memory[PLACE + 1], 3);
}

static void by_one_origin(void) {
    static int number[2];
    MPI_Request request;
    for (int which = 0; which < 2 && rank == 1; which++)
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window[which]);
    for (int which = 0; which < 2 && rank == 1; which++) {
        if (is("origin_fetched") && which == 1) {
            MPI_Rget(&number[1], 1, MPI_INT, 0, PLACE - 1, 1, MPI_INT, window[1], &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            continue;
        }
        MPI_Put(&number[which], 1, MPI_INT, 0, PLACE - which, 1, MPI_INT, window[which]);
        if (is("origin_flushed"))
            MPI_Win_flush(0, window[which]);
    }
    for (int which = 0; which < 2 && rank == 1; which++)
        MPI_Win_unlock(0, window[which]);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void one_after_the_other(void) {
    if (rank == 0 && (is("owner_stores") || is("store_put")))
        memory[PLACE] = 7;
    if (rank == 0 && is("load_put"))
        printf("%d\n", memory[PLACE]);
    if (rank == 1 && ends("_put"))
        put(1, PLACE, 8);
    else if (rank == 1 && !is("owner_stores"))
        put(0, PLACE, 5);
    MPI_Barrier(MPI_COMM_WORLD);
    if (is("later"))
        make(1);
    if (is("freed"))
        MPI_Win_free(&window[0]);
    if (is("fence"))
        MPI_Win_fence(0, window[1]);
    if (rank > 0 && is("owner_stores"))
        expect(get(rank - 1, PLACE), 7);
    else if (rank == 2 && is("fence"))
        MPI_Put(&rank, 1, MPI_INT, 0, PLACE - 1, 1, MPI_INT, window[1]);
    else if (rank == 2 && (is("owner_reads") || is("freed")))
        put(1, PLACE, 2);
    else if (rank == 2 && !is("store_put"))
        expect(get(1, PLACE), 5);
    if (is("fence"))
        MPI_Win_fence(0, window[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && (is("owner_reads") || is("fence") || is("freed")))
        expect(memory[PLACE], 2);
}

static void between_fences(void) {
    const int zero = 0;
    for (int which = 0; which < 2; which++)
        MPI_Win_fence(0, window[which]);
    for (int which = 0; which < 2; which++) {
        if (rank == which + 1)
            MPI_Put(&zero, 1, MPI_INT, 0, PLACE - which, 1, MPI_INT, window[which]);
        if (is("fences_in_turn"))
            MPI_Win_fence(0, window[which]);
        if (is("fences_in_turn") && which == 0)
            MPI_Win_fence(0, window[1]);
    }
    for (int which = 1; which >= 0; which--)
        MPI_Win_fence(0, window[which]);
}

static void begin_epochs(void) {
    for (int which = 0; which < 2 && !is("beside_posted"); which++)
        MPI_Win_fence(0, window[which]);
    if (!is("beside_posted"))
        return;
    MPI_Group all, one;
    const int origins[] = {1, 2}, target = 0;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int which = 0; which < 2; which++) {
        MPI_Group_incl(all, 1, rank == 0 ? &origins[which] : &target, &one);
        if (rank == 0)
            MPI_Win_post(one, 0, window[which]);
        else if (rank == which + 1)
            MPI_Win_start(one, 0, window[which]);
        MPI_Group_free(&one);
    }
    MPI_Group_free(&all);
}

static void end_epochs(void) {
    for (int which = 1; which >= 0; which--) {
        if (!is("beside_posted"))
            MPI_Win_fence(0, window[which]);
        else if (rank == 0)
            MPI_Win_wait(window[which]);
        else if (rank == which + 1)
            MPI_Win_complete(window[which]);
    }
}

static int zero, got;

static void put_byte(int which, MPI_Aint at) {
    MPI_Datatype one;
    MPI_Type_create_hindexed_block(1, 1, &at, MPI_BYTE, &one);
    MPI_Type_commit(&one);
    MPI_Put(&zero, 1, MPI_BYTE, 0, PLACE - which, 1, one, window[which]);
    MPI_Type_free(&one);
}

static void access_through(int which) {
    const char *first = strchr(what, '_') + 1;
    if (!strncmp(first, "add", 3))
        MPI_Accumulate(&zero, 1, MPI_INT, 0, PLACE - which, 1, MPI_INT, MPI_SUM, window[which]);
    else if (which == 1 && (ends("_last") || ends("_next") || ends("_before")))
        put_byte(which, ends("_last") ? 3 : ends("_next") ? 4 : -1);
    else if ((which == 0 && !strncmp(first, "get", 3)) || (which == 1 && (ends("_get") || ends("posted"))))
        MPI_Get(&got, 1, MPI_INT, 0, PLACE - which, 1, MPI_INT, window[which]);
    else
        MPI_Put(&zero, 1, MPI_INT, 0, PLACE - which, 1, MPI_INT, window[which]);
}

/* Between the accesses of ranks 1 and 2. */
static void go_on(void) {
    int other;
    if (is("beside_fetched") && rank == 2)
        MPI_Get(&other, 1, MPI_INT, 0, 0, 1, MPI_INT, window[0]);
    if (is("beside_after") || is("beside_fetched") || is("beside_barrier") || is("beside_word") || is("beside_own"))
        MPI_Win_fence(0, window[0]);
    if (is("beside_barrier") || is("beside_word"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (is("beside_word") && rank == 1)
        MPI_Send(&rank, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    if (is("beside_word") && rank == 2)
        MPI_Recv(&other, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void beside_each_other(void) {
    const int second = is("beside_own") || is("beside_early") ? 0 : 2;
    begin_epochs();
    if (rank == 1)
        access_through(0);
    go_on();
    if (rank == second)
        access_through(1);
    end_epochs();
}

int main(int argc, char **argv) {
    what = argc > 1 ? argv[1] : what;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    make(0);
    if (!is("later"))
        make(1);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strstr(what, "fences_"))
        between_fences();
    else if (strstr(what, "origin"))
        by_one_origin();
    else if (strstr(what, "beside_"))
        beside_each_other();
    else if (strstr(what, "both") || ends("one") || is("apart"))
        at_the_same_time();
    else
        one_after_the_other();
    for (int which = 0; which < 2; which++) {
        if (window[which] != MPI_WIN_NULL)
            MPI_Win_free(&window[which]);
    }
    MPI_Finalize();
    return 0;
}
