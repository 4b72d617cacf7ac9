/* Rank 0 makes a lock file and removes it when rank 1 tells it to; rank 2 tells it to make it anew. Which comes last decides whether
 * there is a file at the end. With "twice" each tells it to write, and the same, so that there always is. */
/* explore: ranks=3 verdict=found class=race-output says=lock.txt */
/* explore: ranks=3 verdict=race-free args=twice mpiexec=no */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static void write_lock(void) {
    FILE *lock = fopen("lock.txt", "w");
    fputs("locked\n", lock);
    fclose(lock);
}

int main(int argc, char **argv) {
    int rank, remove;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        write_lock();
        for (int i = 0; i < 2; i++) {
            MPI_Recv(&remove, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (remove)
                unlink("lock.txt");
            else
                write_lock();
        }
    } else {
        remove = rank == 1 && argc == 1;
        MPI_Send(&remove, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
