/* A family of races of known rarity: rank 0 receives a message from each of n - 1 workers, and crashes if those of workers 1 to
 * DEPTH + 1 come in descending order, whatever comes between them: one order in (DEPTH + 1)!. With a second argument "last" they
 * must also come last of all: (n - 2 - DEPTH)! orders of (n - 1)!. Sends are synchronous, so the orders are those of the
 * messages. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int concerned = atoi(argv[1]) + 1, expected = concerned, last = argc > 2 && !strcmp(argv[2], "last");
    for (int i = 1; rank == 0 && i < size; i++) {
        int worker;
        MPI_Recv(&worker, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        int in_time = !last || i >= size - concerned;
        if (worker <= concerned)
            expected = worker == expected && in_time ? expected - 1 : -1;
    }
    if (rank == 0 && expected == 0)
        *(volatile int *)8 = 1;
    if (rank != 0)
        MPI_Ssend(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
