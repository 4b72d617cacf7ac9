/* Rank 1 holds the exclusive lock on rank 0's window while it waits for a message that rank 0 sends only after it has
 * received one itself. An owner need not wait for those who hold its window, not even to see what they put there: no
 * deadlock. With "lock" rank 0 takes the lock itself before it sends, which is one. */
/* explore: ranks=3 verdict=race-free */
/* explore: ranks=3 verdict=found class=deadlock args=lock */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

static int cell[2];

int main(int argc, char **argv) {
    int rank, seven = 7;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(cell, rank == 0 ? sizeof cell : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Put(&seven, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
        MPI_Send(NULL, 0, MPI_INT, 2, 0, MPI_COMM_WORLD);
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Win_unlock(0, window);
    } else if (rank == 2) {
        MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(NULL, 0, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (argc > 1)
            MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        cell[1] = cell[0];
        MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
        if (argc > 1)
            MPI_Win_unlock(0, window);
        printf("%d\n", cell[1]);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
