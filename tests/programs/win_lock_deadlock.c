/* Two ranks take the locks on both windows in opposite orders, and each holds its first when it waits for its second: its
 * own window's, which is granted before MPI_Win_lock returns. In the same order there is no deadlock. With "message" a
 * rank waits for a message while it holds a lock that the sender needs first: a deadlock if the lock is granted early, as
 * it may be. */
/* explore: ranks=2 verdict=found class=deadlock */
/* explore: ranks=2 verdict=race-free args=same */
/* explore: ranks=2 verdict=found class=deadlock args=message */
#include <mpi.h>
#include <stddef.h>
#include <string.h>

static int memory[2];

int main(int argc, char **argv) {
    int rank;
    MPI_Win window;
    const char *variant = argc > 1 ? argv[1] : "opposite";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    int first = strcmp(variant, "same") ? rank : 0, second = 1 - first, one = 1;
    if (!strcmp(variant, "message")) {
        if (rank == 1)
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        if (rank == 1)
            MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 0)
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Win_unlock(0, window);
        if (rank == 0)
            MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, first, 0, window);
        MPI_Put(&one, 1, MPI_INT, first, rank, 1, MPI_INT, window);
        MPI_Win_flush(first, window);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, second, 0, window);
        MPI_Put(&one, 1, MPI_INT, second, rank, 1, MPI_INT, window);
        MPI_Win_unlock(second, window);
        MPI_Win_unlock(first, window);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
