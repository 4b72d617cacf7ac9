/* Rank 0 adds up one number from each other rank, in the order of arrival: 5040 orders with 8 ranks, one sum. */
/* explore: ranks=2 verdict=race-free */
/* explore: ranks=8 verdict=race-free */
/* explore: ranks=8 verdict=race-free buffering=none */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank != 0) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        int sum = 0;
        for (int i = 1; i < ranks; i++) {
            int value;
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += value;
        }
        printf("sum %d\n", sum);
    }
    MPI_Finalize();
    return 0;
}
