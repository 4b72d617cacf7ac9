/* Rank 0 polls with MPI_Iprobe until each other rank's message has come. Polls are not counted, so the loop returns to the
 * same state and the exploration ends; the sum does not depend on the order. */
/* explore: ranks=2 verdict=race-free */
/* explore: ranks=3 verdict=race-free */
/* explore: ranks=3 verdict=race-free buffering=none */
#include <mpi.h>
#include <stdio.h>

static int receive_one(void) {
    int arrived = 0, value;
    MPI_Status status;
    while (!arrived)
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &arrived, &status);
    MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return value;
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank != 0) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        int sum = 0;
        for (int i = 1; i < ranks; i++)
            sum += receive_one();
        printf("sum %d\n", sum);
    }
    MPI_Finalize();
    return 0;
}
