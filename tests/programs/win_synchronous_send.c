/* Rank 1 puts into rank 0's window, completes that, and then receives what rank 0 sends. When a synchronous send is
 * complete rank 0 knows of the put: it sees what was put, and may store there. A standard send may be complete before the
 * put was made. */
/* explore: ranks=2 verdict=race-free */
/* explore: ranks=2 verdict=found class=rma-conflict|race-output args=standard */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

static int cell;

int main(int argc, char **argv) {
    int rank, seven = 7;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    int standard = argc > 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&cell, rank == 0 ? sizeof cell : 0, sizeof cell, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        MPI_Put(&seven, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_unlock(0, window);
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        if (standard)
            MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Ssend(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
        printf("%d\n", cell);
        cell = 8;
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
