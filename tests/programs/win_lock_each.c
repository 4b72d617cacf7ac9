/* Each rank puts into its own place of every window, its own window included, under exclusive locks. Who had a lock first can only
 * be seen by what was in the window then, at which nobody looks before the end: as if the own window were another's, the
 * graph has some states for each epoch, of which there are 18 on three ranks and 32 on four, and not a product of what the ranks
 * do: no more than four if one is to ask, to be served and to go on.
 *
 *     put     ... by MPI_Put
 *     store   ... by a store in its own window
 *     see     rank 0 looks for what rank 1 has put, whenever it holds the lock on its own window */
/* explore: ranks=3 verdict=race-free states=72 args=put */
/* explore: ranks=4 verdict=race-free states=128 args=put */
/* explore: ranks=2 verdict=race-free states=100 args=store */
/* explore: ranks=2 verdict=found class=race-output args=see */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 2 };

static int rank, size, seen;
static double *place; /* ROUNDS of each rank */
static MPI_Win window;
static const char *what;

static int is(const char *name) { return strcmp(what, name) == 0; }

static void write_to(int target, int round) {
    const double value = rank + 1;
    const int at = rank * ROUNDS + round;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window);
    if (target == rank && is("store"))
        place[at] = value;
    else
        MPI_Put(&value, 1, MPI_DOUBLE, target, at, 1, MPI_DOUBLE, window);
    if (target == rank && rank == 0 && is("see"))
        seen += place[ROUNDS] != 0;
    MPI_Win_unlock(target, window);
}

static void check(void) {
    for (int i = 0; i < size * ROUNDS; i++) {
        if (place[i] != i / ROUNDS + 1)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : "put";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const size_t places = (size_t)size * ROUNDS;
    place = calloc(places, sizeof *place);
    MPI_Win_create(place, (MPI_Aint)(places * sizeof *place), sizeof *place, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int target = 0; target < size; target++) {
        for (int round = 0; round < ROUNDS; round++)
            write_to(target, round);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    check();
    printf("rank %d: %d\n", rank, seen);
    MPI_Win_free(&window);
    free(place);
    MPI_Finalize();
    return 0;
}
