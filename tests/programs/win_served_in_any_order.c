/* Each of two ranks puts something into the other's window and flushes it. Then rank 1 gets from its own what rank 0 puts there: nothing
 * orders the two, as rank 0's put may come late. Each flush is answered by an agent that has another request to serve, of its own rank,
 * which commutes with the flush, so that it is served first wherever both are there; but it need not be there yet. So it is not sure that
 * rank 1 hears of its put only after rank 0 has heard of its own.
 *
 * "window": what is put, and fetched into, lies in the windows themselves. "beside": other bytes are fetched; "ordered": after a barrier. */
/* explore: ranks=2 verdict=found class=rma-conflict args=buffers says=MPI_Get */
/* explore: ranks=2 verdict=found class=rma-conflict args=window says=MPI_Get */
/* explore: ranks=2 verdict=race-free args=buffers_beside */
/* explore: ranks=2 verdict=race-free args=window_beside */
/* explore: ranks=2 verdict=race-free args=buffers_ordered */
/* explore: ranks=2 verdict=race-free args=window_ordered */
#include <mpi.h>
#include <string.h>

enum { PUT_BY_0, PUT_BY_1, GIVEN = 4, TAKEN = 8, CELLS = 16 };

static const char *what = "buffers";

static int has(const char *word) { return strstr(what, word) != NULL; }

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : what;
    int rank, *memory, one = 1, fetched;
    MPI_Win window;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(CELLS * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    for (int i = 0; i < CELLS; i++)
        memory[i] = i;
    const int *given = has("window") ? &memory[GIVEN] : &one;
    int *taken = has("window") ? &memory[TAKEN] : &fetched;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    MPI_Put(given, 1, MPI_INT, 1 - rank, rank == 0 ? PUT_BY_0 : PUT_BY_1, 1, MPI_INT, window);
    MPI_Win_flush(1 - rank, window);
    if (has("ordered"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Accumulate(&one, 1, MPI_INT, 0, TAKEN, 1, MPI_INT, MPI_SUM, window);
    else
        MPI_Get(taken, 1, MPI_INT, 1, has("beside") ? PUT_BY_1 : PUT_BY_0, 1, MPI_INT, window);
    MPI_Win_flush_local(rank, window);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
