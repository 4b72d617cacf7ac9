/* Rank 0 prints in one long line who came when. Its beginning is the same whoever came first: what is told of the line begins shortly
 * before the difference. */
/* explore: ranks=3 verdict=found class=race-output says=:2::1: */
#include <mpi.h>
#include <stdio.h>

enum { WIDTH = 300 };

int main(int argc, char **argv) {
    int rank, ranks, who;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < WIDTH && rank == 0; i++)
        putchar('x');
    for (int i = 1; i < ranks && rank == 0; i++) {
        MPI_Recv(&who, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf(":%d:", who);
    }
    if (rank == 0)
        putchar('\n');
    else
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
