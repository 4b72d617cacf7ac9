/* Rank 0 prints numbers as they come, by the functions for large counts; or their sum. */
/* explore: ranks=3 verdict=found class=race-output args=list */
/* explore: ranks=3 verdict=race-free args=sum */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank, size, number = 0, sum = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; rank == 0 && i < size; i++) {
        MPI_Recv_c(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (argc > 1 && strcmp(argv[1], "list") == 0)
            printf("%d\n", number);
        sum += number;
    }
    if (rank != 0) {
        MPI_Isend_c(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        printf("sum %d\n", sum);
    }
    MPI_Finalize();
    return 0;
}
