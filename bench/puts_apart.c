/* Each rank puts so many numbers into every other's window, each into a place of its own and under an exclusive lock of its own:
 * no two accesses meet, so the orders of all locks are one. Prints what came of it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void put_into(int target, int rank, int puts, MPI_Win window) {
    for (int i = 0; i < puts; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window);
        MPI_Put(&rank, 1, MPI_INT, target, rank * puts + i, 1, MPI_INT, window);
        MPI_Win_unlock(target, window);
    }
}

int main(int argc, char **argv) {
    int rank, ranks, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int puts = argc > 1 ? atoi(argv[1]) : 10;
    int *memory;
    MPI_Win window;
    MPI_Win_allocate((MPI_Aint)(ranks * puts) * (MPI_Aint)sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD,
                     &memory, &window);
    for (int i = 0; i < ranks * puts; i++)
        memory[i] = rank;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int target = 0; target < ranks; target++) {
        if (target != rank)
            put_into(target, rank, puts, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
    for (int i = 0; i < ranks * puts; i++)
        sum += memory[i];
    MPI_Win_unlock(rank, window);
    printf("%d\n", sum);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
