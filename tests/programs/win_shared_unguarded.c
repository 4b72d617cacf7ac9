/* Two ranks change their numbers in a shared window in place, each with the help of the other's number, round by round, without a
 * barrier between: each loads what the other may store just then. As such a word might be a flag, that is known to be a conflict only
 * when nobody has turned out to wait for it, in all orderings. There are too many for that in 40 rounds; then the report says so. */
/* explore: ranks=2 verdict=found class=rma-conflict args=1 */
/* explore: ranks=2 verdict=undecided args=40 states=500 says=(win_shared_unguarded.c:25) */
/* explore: ranks=2 verdict=undecided args=40 states=500 says=rma-conflict, */
/* With a barrier before and behind each store. */
/* explore: ranks=2 verdict=race-free args=-40 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank;

static void synchronise(int guarded, MPI_Win window) {
    if (!guarded)
        return;
    MPI_Win_sync(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window);
}

static void change(long *number, int guarded, MPI_Win window) {
    synchronise(guarded, window);
    const long others = number[1 - rank];
    synchronise(guarded, window);
    number[rank] = 1 + (others > 3);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int rounds = argc > 1 ? atoi(argv[1]) : 1;
    long *number;
    MPI_Win window;
    MPI_Aint bytes;
    int unit;
    MPI_Win_allocate_shared(rank == 0 ? 2 * sizeof *number : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &number, &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, &number);
    MPI_Win_lock_all(0, window);
    synchronise(1, window);
    for (int i = 0; i < abs(rounds); i++)
        change(number, rounds < 0, window);
    synchronise(1, window);
    printf("%ld\n", number[rank]);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
