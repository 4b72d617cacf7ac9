/* A pipeline under MPI_Win_lock_all: each rank waits for its left neighbour's message, by which that one's put is
 * complete, looks at its own window, and puts what it found plus one to the right. "unflushed" sends the message before
 * the put is complete, and reads what may be there or not; "early" reads the buffer of a get before the flush, which
 * no program may do. */
/* explore: ranks=3 verdict=race-free */
/* explore: ranks=3 verdict=found class=race-output|rma-conflict args=unflushed */
/* explore: ranks=3 verdict=found class=rma-conflict args=early */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int cell;

int main(int argc, char **argv) {
    int rank, size;
    MPI_Win window;
    const char *mistake = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_create(&cell, sizeof cell, sizeof cell, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock_all(0, window);
    if (rank > 0)
        MPI_Recv(NULL, 0, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_sync(window);
    int found = cell, next = cell + 1, back = -1;
    if (rank + 1 < size) {
        MPI_Put(&next, 1, MPI_INT, rank + 1, 0, 1, MPI_INT, window);
        if (strcmp(mistake, "unflushed"))
            MPI_Win_flush(rank + 1, window);
        MPI_Send(NULL, 0, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
        MPI_Win_flush(rank + 1, window);
        MPI_Get(&back, 1, MPI_INT, rank + 1, 0, 1, MPI_INT, window);
        if (!strcmp(mistake, "early"))
            printf("too early: %d\n", back);
        MPI_Win_flush(rank + 1, window);
    }
    MPI_Win_unlock_all(window);
    printf("rank %d found %d, got back %d\n", rank, found, back);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
