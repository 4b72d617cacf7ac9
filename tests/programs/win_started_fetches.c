/* Accumulates that fetch, between MPI_Win_start and MPI_Win_complete, to a window that is exposed to several origins: all but rank 1,
 * whose window it is. Each origin has what it fetches when its MPI_Win_complete returns, for which rank 1 must have posted but need not
 * have waited. In which order they come shows in who fetches what, not in the sum of all. What is fetched by one must not be put
 * by another, nor stored or loaded by rank 1, in the same epoch. An origin's accesses to several places come in any order, too: if
 * others fetch from both of these, or add to both what cannot be added in any order, that is refused. */
/* explore: ranks=3 verdict=race-free args=sum */
/* explore: ranks=4 verdict=race-free args=sum */
/* explore: ranks=3 verdict=race-free args=sum_tested */
/* explore: ranks=3 verdict=found class=race-output args=each */
/* explore: ranks=3 verdict=race-free args=apart */
/* explore: ranks=3 verdict=race-free args=swap */
/* explore: ranks=3 verdict=found class=race-output args=swap_each */
/* explore: ranks=3 verdict=race-free args=replace */
/* explore: ranks=3 verdict=found class=race-output args=look_each */
/* explore: ranks=3 verdict=race-free args=twice */
/* explore: ranks=3 verdict=race-free args=slots */
/* explore: ranks=3 verdict=race-free args=blocks */
/* explore: ranks=3 verdict=found class=race-output args=blocks_each */
/* explore: ranks=3 verdict=race-free args=heard_of */
/* explore: ranks=3 verdict=found class=deadlock buffering=infinite args=posts_late */
/* explore: ranks=3 verdict=race-free buffering=infinite args=late_accumulate */
/* explore: ranks=3 verdict=race-free args=locks_too */
/* explore: ranks=3 verdict=race-free args=places_one */
/* explore: ranks=3 verdict=race-free args=places_added */
/* explore: ranks=3 verdict=cannot-run args=places_both mpiexec=no */
/* explore: ranks=3 verdict=found class=rma-conflict args=mixed */
/* explore: ranks=3 verdict=found class=rma-conflict args=put */
/* explore: ranks=3 verdict=found class=rma-conflict args=store checkpoint=pages */
/* explore: ranks=3 verdict=found class=rma-conflict args=load checkpoint=pages */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { TARGET = 1, CELLS = 8 };

static MPI_Win window;
static MPI_Group target, origins;
static int cell[CELLS], got[4], rank, ranks, ones[2] = {1, 1}, one = 1, two = 2, none, value;
static const char *what;

static int is(const char *name) { return strcmp(what, name) == 0; }
static int begins(const char *name) { return strncmp(what, name, strlen(name)) == 0; }

static void access_target(void) {
    value = rank + 3;
    if (begins("swap"))
        MPI_Compare_and_swap(&one, &none, got, MPI_INT, TARGET, 0, window);
    else if (is("replace"))
        MPI_Fetch_and_op(&value, got, MPI_INT, TARGET, 0, MPI_REPLACE, window);
    else if (begins("look") && rank == 0)
        MPI_Get_accumulate(NULL, 0, MPI_INT, got, 1, MPI_INT, TARGET, 0, 1, MPI_INT, MPI_NO_OP, window);
    else if (begins("look") || is("late_accumulate"))
        MPI_Accumulate(&one, 1, MPI_INT, TARGET, 0, 1, MPI_INT, MPI_SUM, window);
    else if (begins("blocks")) /* of two cells each, which have one in common */
        MPI_Get_accumulate(ones, 2, MPI_INT, got, 2, MPI_INT, TARGET, rank / 2, 2, MPI_INT, MPI_SUM, window);
    else if (is("mixed") && rank == 0)
        MPI_Fetch_and_op(&two, got, MPI_INT, TARGET, 0, MPI_PROD, window);
    else if (is("put") && rank == 0)
        MPI_Put(&two, 1, MPI_INT, TARGET, 0, 1, MPI_INT, window);
    else
        MPI_Fetch_and_op(&one, got, MPI_INT, TARGET, is("apart") ? rank : 0, MPI_SUM, window);
    if (is("places_one") && rank == 0)
        MPI_Fetch_and_op(&one, &got[1], MPI_INT, TARGET, 1, MPI_SUM, window);
    if (is("places_added"))
        MPI_Accumulate(ones, 2, MPI_INT, TARGET, 1, 2, MPI_INT, MPI_SUM, window);
    if (is("places_both"))
        MPI_Fetch_and_op(&one, &got[1], MPI_INT, TARGET, 1, MPI_SUM, window);
    if (is("twice")) {
        MPI_Get(&got[1], 1, MPI_INT, TARGET, 4 + rank, 1, MPI_INT, window);
        MPI_Fetch_and_op(&one, &got[2], MPI_INT, TARGET, 0, MPI_SUM, window);
    }
}

static void be_origin(void) {
    MPI_Win_start(target, 0, window);
    access_target();
    MPI_Win_complete(window);
    if (is("heard_of") || is("posts_late") || is("late_accumulate"))
        MPI_Send(NULL, 0, MPI_INT, TARGET, 0, MPI_COMM_WORLD);
    if (is("slots")) { /* each has one of its own */
        MPI_Win_start(target, 0, window);
        MPI_Put(&value, 1, MPI_INT, TARGET, 2 + got[0], 1, MPI_INT, window);
        MPI_Win_complete(window);
    }
}

static void hear_of_all(void) {
    for (int i = 0; i < ranks; i++) {
        if (i != TARGET)
            MPI_Recv(NULL, 0, MPI_INT, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void end_exposure(void) {
    int done = 0;
    if (is("sum_tested"))
        while (!done)
            MPI_Win_test(window, &done);
    else
        MPI_Win_wait(window);
}

static void be_target(void) {
    if (is("posts_late") || is("late_accumulate"))
        hear_of_all();
    MPI_Win_post(origins, 0, window);
    if (is("heard_of"))
        hear_of_all();
    if (is("store"))
        cell[0] = 8;
    if (is("load"))
        printf("%d\n", cell[0]);
    end_exposure();
    if (is("slots")) {
        MPI_Win_post(origins, 0, window);
        MPI_Win_wait(window);
    }
}

static void report(void) {
    int sum, all = got[0] + got[1] + got[2];
    if (strstr(what, "each") && rank != TARGET)
        printf("%d %d\n", got[0], got[1]);
    if (rank == TARGET)
        all += is("slots") ? cell[2] + cell[3] : cell[0];
    MPI_Reduce(&all, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d\n", sum);
}

/* The same cells under locks, before and after. */
static void lock_and_add(void) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, 0, window);
    MPI_Accumulate(&one, 1, MPI_INT, TARGET, 0, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_unlock(TARGET, window);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    int number = TARGET;
    MPI_Group world;
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : "sum";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &number, &target);
    MPI_Group_excl(world, 1, &number, &origins);
    MPI_Win_create(cell, sizeof cell, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (is("locks_too"))
        lock_and_add();
    if (rank == TARGET)
        be_target();
    else
        be_origin();
    if (is("locks_too")) {
        MPI_Barrier(MPI_COMM_WORLD);
        lock_and_add();
    }
    report();
    MPI_Win_free(&window);
    MPI_Group_free(&world);
    MPI_Group_free(&target);
    MPI_Group_free(&origins);
    MPI_Finalize();
    return 0;
}
