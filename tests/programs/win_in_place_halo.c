/* Each rank has a row of cells in its window, with a border cell at either end that belongs to the neighbours there, who put their
 * outermost inner cells into it: straight from their own windows, in an epoch of MPI_Win_lock_all that lasts ("copied": from copies).
 * Behind a barrier each makes new inner cells of what there is, in place, and behind another one the next round begins. All of it is
 * ordered, so one order is enough: three rounds of two puts, a flush, a load and a store of the row are some 30 states a rank. While a
 * rank reads the cells that it gives its neighbours are putting to its border cells: if these were told apart by which comes first, there
 * would be thousands.
 *
 * "between": between flush and barrier all inner cells but the outermost are made, of those beside them, as is usual to gain time. */
/* explore: ranks=4 verdict=race-free args=put states=300 */
/* explore: ranks=4 verdict=race-free args=put_copied states=300 */
/* explore: ranks=4 verdict=race-free args=put_between states=300 */
/* explore: ranks=10 verdict=race-free args=put states=750 checkpoint=pages */
/* explore: ranks=3 verdict=race-free args=put_long checkpoint=pages */
/* Border cells are read before the barrier, by who makes the cells beside them too; or put to while they still are; or given away. */
/* explore: ranks=3 verdict=found class=rma-conflict args=put_between_early */
/* explore: ranks=3 verdict=found class=rma-conflict args=put_once */
/* explore: ranks=3 verdict=found class=rma-conflict args=put_border */
/* What is given is changed before it is there. */
/* explore: ranks=3 verdict=found class=rma-conflict args=put_unflushed */
/* explore: ranks=3 verdict=race-free args=put_copied_border_after */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 3, CELLS = 16, LONG = 1500 };

static const char *what = "put";
static int rank, size, cells = CELLS;
static double *cell, given[2], sum;
static MPI_Win window;

static int has(const char *word) { return strstr(what, word) != NULL; }

static double *to_give(int from, int copy) {
    if (!has("copied"))
        return &cell[from];
    given[copy] = cell[from];
    return &given[copy];
}

static void give_border(void) {
    const int first = has("border") && !has("after") ? 0 : 1;
    if (rank > 0)
        MPI_Put(to_give(first, 0), 1, MPI_DOUBLE, rank - 1, cells + 1, 1, MPI_DOUBLE, window);
    if (rank < size - 1)
        MPI_Put(to_give(cells, 1), 1, MPI_DOUBLE, rank + 1, 0, 1, MPI_DOUBLE, window);
    if (!has("unflushed"))
        MPI_Win_flush_all(window);
}

static void make(int first, int last) {
    double before = cell[first - 1];
    for (int i = first; i <= last; i++) {
        const double now = cell[i];
        cell[i] = 0.5 * (before + cell[i + 1]);
        before = now;
    }
}

static void go_round(void) {
    give_border();
    if (has("between"))
        make(has("early") ? 1 : 3, cells - 2);
    if (has("unflushed"))
        cell[1] = cell[cells] = rank;
    MPI_Barrier(MPI_COMM_WORLD);
    if (has("border_after"))
        sum += cell[0];
    make(1, cells);
    if (!has("once"))
        MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : what;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    cells = has("long") ? LONG : CELLS;
    MPI_Win_allocate((MPI_Aint)((size_t)(cells + 2) * sizeof *cell), sizeof *cell, MPI_INFO_NULL, MPI_COMM_WORLD, &cell,
                     &window);
    for (int i = 0; i < cells + 2; i++)
        cell[i] = rank;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    for (int round = 0; round < ROUNDS; round++)
        go_round();
    MPI_Win_unlock_all(window);
    for (int i = 1; i <= cells; i++)
        sum += cell[i];
    printf("%g\n", sum);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
