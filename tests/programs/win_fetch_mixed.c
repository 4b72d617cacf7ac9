/* As win_accumulate_mixed.c, for MPI_Fetch_and_op of two origins at one place, each complete with the flush that follows it: they
 * must have the same operator and datatype if they may meet (MPI-3.1 11.7.1). MPI_REPLACE and MPI_NO_OP may meet any. A barrier
 * between them, an exclusive lock around each, or another place, makes different operators right; so does one origin for both.
 *
 *     accumulate   one of them is an MPI_Accumulate, which nobody waits for before the unlock */
/* explore: ranks=3 verdict=found class=rma-conflict args=max */
/* explore: ranks=3 verdict=race-free args=sum */
/* explore: ranks=3 verdict=found class=rma-conflict args=floats */
/* explore: ranks=3 verdict=race-free args=replace */
/* explore: ranks=3 verdict=race-free args=read */
/* explore: ranks=3 verdict=race-free args=elsewhere */
/* explore: ranks=3 verdict=race-free args=barrier */
/* explore: ranks=3 verdict=race-free args=one_origin */
/* explore: ranks=3 verdict=found class=rma-conflict args=accumulate */
/* explore: ranks=3 verdict=race-free args=exclusive */
#include <mpi.h>
#include <stdbool.h>
#include <string.h>

static const char *what = "";
static MPI_Win window;

static bool is(const char *wanted) { return strcmp(what, wanted) == 0; }

static void begin(void) {
    if (is("exclusive"))
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    else
        MPI_Win_lock_all(0, window);
}

static void end(void) {
    if (is("exclusive"))
        MPI_Win_unlock(0, window);
    else
        MPI_Win_unlock_all(window);
}

static void fetch(MPI_Datatype type, int at, MPI_Op op) {
    static int two = 2, fetched;
    MPI_Fetch_and_op(&two, &fetched, type, 0, at, op, window);
    MPI_Win_flush(0, window);
}

static void second(void) {
    static const int three = 3;
    if (is("sum"))
        fetch(MPI_INT, 0, MPI_SUM);
    else if (is("floats"))
        fetch(MPI_FLOAT, 0, MPI_SUM);
    else if (is("replace"))
        fetch(MPI_INT, 0, MPI_REPLACE);
    else if (is("read"))
        fetch(MPI_INT, 0, MPI_NO_OP);
    else if (is("accumulate"))
        MPI_Accumulate(&three, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_MAX, window);
    else
        fetch(MPI_INT, is("elsewhere") ? 1 : 0, MPI_MAX);
}

int main(int argc, char **argv) {
    int rank, *memory;
    what = argc > 1 ? argv[1] : what;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(2 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memory[0] = memory[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    begin();
    if (rank == 1)
        fetch(MPI_INT, 0, MPI_SUM);
    if (rank == 1 && is("one_origin"))
        second();
    if (is("barrier"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2 && !is("one_origin"))
        second();
    end();
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
