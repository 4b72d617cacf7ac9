/* Memory of rank 1 that is attached to a dynamic window and in another window as well, which others access under locks: rank 0 through
 * the one, rank 2 through the other ("two": both are dynamic). Whatever is put through one is there through the other, also if it is
 * attached, or made a window of, only after that and nobody has looked at it before. Accesses through both at the same time must not meet. */
/* explore: ranks=3 verdict=race-free args=after */
/* explore: ranks=3 verdict=race-free args=two_after */
/* explore: ranks=3 verdict=race-free args=attached_late */
/* explore: ranks=3 verdict=race-free args=two_attached_late */
/* explore: ranks=3 verdict=race-free args=created_late */
/* explore: ranks=3 verdict=race-free args=attached_again */
/* explore: ranks=3 verdict=race-free args=stored */
/* explore: ranks=3 verdict=race-free args=stored_before */
/* explore: ranks=3 verdict=race-free args=apart */
/* explore: ranks=3 verdict=race-free args=half_apart */
/* explore: ranks=3 verdict=found class=rma-conflict args=same */
/* explore: ranks=3 verdict=found class=rma-conflict args=two_same */
/* explore: ranks=3 verdict=found class=rma-conflict args=half_same */
/* explore: ranks=3 verdict=found class=rma-conflict|abort args=stored_beside */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence */
/* explore: ranks=3 verdict=race-free args=fence_after */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { TARGET = 1 };

static MPI_Win dynamic, other;
static MPI_Aint address; /* of rank 1's cells */
/* Where a window begins between multiples of 16, and others have none of its memory, MPICH 4.0 itself puts 8 bytes before it. */
static _Alignas(16) int cell[2];
static int rank, got, five = 5;
static const char *what;

static int begins(const char *name) { return strncmp(what, name, strlen(name)) == 0; }
static int has(const char *word) { return strstr(what, word) != NULL; }

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

static MPI_Aint place(MPI_Win window, int i) {
    return window == other && !begins("two") ? i : MPI_Aint_add(address, (MPI_Aint)(i * sizeof(int)));
}

static void put(MPI_Win window, int i, int count) {
    static int values[2] = {5, 6};
    MPI_Win_lock(MPI_LOCK_SHARED, TARGET, 0, window);
    MPI_Put(values, count, MPI_INT, TARGET, place(window, i), count, MPI_INT, window);
    MPI_Win_unlock(TARGET, window);
}

static void expect_five(MPI_Win window) {
    MPI_Win_lock(MPI_LOCK_SHARED, TARGET, 0, window);
    MPI_Get(&got, 1, MPI_INT, TARGET, place(window, 0), 1, MPI_INT, window);
    MPI_Win_unlock(TARGET, window);
    if (got != 5)
        MPI_Abort(MPI_COMM_WORLD, got + 1);
}

static void attach(MPI_Win window) {
    if (rank == TARGET)
        MPI_Win_attach(window, begins("half") ? &cell[1] : cell, begins("half") ? sizeof(int) : sizeof cell);
    barrier();
}

static void make_other(void) {
    if (begins("two"))
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &other);
    else
        MPI_Win_create(cell, rank == TARGET ? sizeof cell : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &other);
    if (begins("two"))
        attach(other);
}

/* Rank 0 through the first, then rank 2 through the second. */
static void one_after_the_other(MPI_Win first, MPI_Win second, void (*between)(MPI_Win)) {
    if (rank == 0)
        put(first, 0, 1);
    barrier();
    if (between != NULL)
        between(second);
    if (rank == 2)
        expect_five(second);
    barrier();
    if (rank == TARGET)
        printf("%d\n", cell[0]);
}

static void attach_again(MPI_Win window) {
    if (rank == TARGET)
        MPI_Win_detach(window, cell);
    barrier();
    if (rank == 0)
        put(other, 0, 1);
    barrier();
    attach(window);
}

static void at_once(void) {
    if (rank == 0)
        put(other, 0, has("half_same") ? 2 : 1);
    if (rank == 2)
        put(dynamic, has("apart") || has("half"), 1);
}

static void store(void) {
    if (rank == TARGET && !has("before"))
        cell[0] = 5;
    if (!has("beside"))
        barrier();
    if (rank == 0)
        expect_five(other);
    if (rank == 2)
        expect_five(dynamic);
    barrier();
    if (rank == TARGET)
        cell[0] = 7;
}

static void fence(void) {
    MPI_Win_fence(0, other);
    if (has("after") && rank == 2)
        put(dynamic, 0, 1);
    if (has("after"))
        barrier();
    if (rank == 0)
        MPI_Put(&five, 1, MPI_INT, TARGET, 0, 1, MPI_INT, other);
    if (!has("after") && rank == 2)
        put(dynamic, 0, 1);
    MPI_Win_fence(0, other);
    if (rank == TARGET)
        printf("%d\n", cell[0]);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : "after";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Get_address(cell, &address);
    MPI_Bcast(&address, 1, MPI_AINT, TARGET, MPI_COMM_WORLD);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
    if (!has("created_late"))
        make_other();
    if (has("stored_before") && rank == TARGET)
        cell[0] = 5;
    if (!has("attached_late"))
        attach(dynamic);
    if (has("attached_late")) {
        one_after_the_other(other, dynamic, attach);
    } else if (has("attached_again")) {
        one_after_the_other(other, dynamic, attach_again);
    } else if (has("created_late")) {
        if (rank == 0)
            put(dynamic, 0, 1);
        barrier();
        make_other();
        if (rank == 2)
            expect_five(other);
    } else if (begins("fence")) {
        fence();
    } else if (begins("stored")) {
        store();
    } else if (has("after")) {
        one_after_the_other(other, dynamic, NULL);
    } else {
        at_once();
    }
    MPI_Win_free(&other);
    MPI_Win_free(&dynamic);
    MPI_Finalize();
    return 0;
}
