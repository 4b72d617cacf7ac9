/* Several processes change a window at the same time. Changes of different bytes, and sums of integers, leave the same in whatever order
 * they come, so that the graph has about the sum of what each rank does and not the product: some dozen states on five ranks, of many
 * thousands. Rank 0 has the window.
 *
 *     slots     everybody else puts into its own slot of rank 0's window, twice
 *     shared    ... under locks of its own
 *     sums      everybody else adds to the same counter, twice
 *     strided   ... puts every fifth number, by a vector type
 *
 * Where the order shows, or must not be left open, it is found as ever:
 *
 *     one_slot  ranks 1 and 2 put into the same slot
 *     overlap   rank 1 puts two numbers, the second of which rank 2 gets
 *     fetch     everybody adds and is told what there was before
 *     doubles   sums of doubles, which depend on their order
 *     products  rank 1 adds, rank 2 multiplies
 *     askew     sums of integers of which one begins in the middle of the other, so that a carry is lost or not */
/* explore: ranks=5 verdict=race-free states=100 args=slots */
/* explore: ranks=5 verdict=race-free states=100 args=shared */
/* explore: ranks=5 verdict=race-free states=100 args=sums */
/* explore: ranks=5 verdict=race-free states=100 args=strided */
/* explore: ranks=3 verdict=found class=rma-conflict args=one_slot */
/* explore: ranks=3 verdict=found class=rma-conflict args=overlap */
/* explore: ranks=3 verdict=found class=race-output args=fetch */
/* explore: ranks=4 verdict=found class=race-output args=doubles */
/* explore: ranks=3 verdict=found class=rma-conflict args=products */
/* explore: ranks=3 verdict=found class=race-output args=askew */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { NUMBERS = 64 };

static int rank, size, *number;
static MPI_Win window;
static const char *what;

static int is(const char *name) { return strcmp(what, name) == 0; }

static void put(int at, int count) {
    const int two[2] = {10 * rank, 10 * rank + 1};
    MPI_Put(two, count, MPI_INT, 0, at * (int)sizeof *number, count, MPI_INT, window);
    MPI_Win_flush(0, window);
}

static void put_strided(void) {
    int mine[4] = {rank, rank, rank, rank};
    MPI_Datatype every_fifth;
    MPI_Type_vector(4, 1, 5, MPI_INT, &every_fifth);
    MPI_Type_commit(&every_fifth);
    MPI_Put(mine, 4, MPI_INT, 0, rank * (int)sizeof *number, 1, every_fifth, window);
    MPI_Win_flush(0, window);
    MPI_Type_free(&every_fifth);
}

static void add(int value, int displacement, MPI_Op op) {
    MPI_Accumulate(&value, 1, MPI_INT, 0, displacement, 1, MPI_INT, op, window);
    MPI_Win_flush(0, window);
}

static void add_double(void) {
    const double value[] = {0, 1e17, 1, -1e17};
    MPI_Accumulate(&value[rank], 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_flush(0, window);
}

static int fetch(void) {
    int one = 1, before;
    MPI_Get_accumulate(&one, 1, MPI_INT, &before, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_flush(0, window);
    return before;
}

static int get(int at) {
    int got;
    MPI_Get(&got, 1, MPI_INT, 0, at * (int)sizeof *number, 1, MPI_INT, window);
    MPI_Win_flush(0, window);
    return got;
}

static void put_under_lock(void) {
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    put(rank, 1);
    MPI_Win_unlock(0, window);
}

/* What a rank but 0 is told. */
static int change(void) {
    for (int i = 0; i < 2 && is("slots"); i++)
        put(rank, 1);
    for (int i = 0; i < 2 && is("sums"); i++)
        add(rank, 0, MPI_SUM);
    if (is("strided"))
        put_strided();
    if (is("one_slot"))
        put(7, 1);
    if (is("overlap") && rank == 1)
        put(7, 2);
    if (is("doubles"))
        add_double();
    if (is("products"))
        add(rank, 0, rank == 1 ? MPI_SUM : MPI_PROD);
    if (is("askew"))
        add(rank == 1 ? -1 : 1, rank == 1 ? 0 : 2, MPI_SUM);
    return is("fetch") ? fetch() : is("overlap") && rank == 2 ? get(8) : 0;
}

int main(int argc, char **argv) {
    int told = 0;
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : "slots";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(NUMBERS * sizeof *number, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &number, &window);
    memset(number, 0, NUMBERS * sizeof *number);
    for (int to = 1; to < size && rank == 0; to++) /* it has looked at its window when they begin */
        MPI_Send(NULL, 0, MPI_INT, to, 0, MPI_COMM_WORLD);
    if (rank > 0)
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank > 0 && is("shared"))
        put_under_lock();
    if (rank > 0 && !is("shared")) {
        MPI_Win_lock_all(0, window);
        told = change();
        MPI_Win_unlock_all(window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double first;
    memcpy(&first, number, sizeof first);
    printf("rank %d was told %d, has %d %d %d %d, %d, %g\n", rank, told, number[0], number[1], number[2], number[3], number[7],
           is("doubles") ? first : 0);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
