/* Has 4 MiB of its stack in use when it calls MPI_Init, more than what is called from there may need, and goes on working with it:
 * half of what a process usually has, so it is right. With the argument rank 0 takes what comes as it comes, and prints it. */
/* explore: ranks=3 verdict=race-free */
/* explore: ranks=3 verdict=found class=race-output args=arrival */
#include <mpi.h>
#include <stdio.h>

enum { ROWS = 1024, COLUMNS = 512 };

int main(int argc, char **argv) {
    double table[ROWS][COLUMNS];
    int rank, ranks;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            table[i][j] = i + j;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    table[ROWS - 1][0] += rank;
    if (rank != 0) {
        MPI_Send(table[ROWS - 1], COLUMNS, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    } else {
        for (int i = 1; i < ranks; i++) {
            MPI_Recv(table[i], COLUMNS, MPI_DOUBLE, argc > 1 ? MPI_ANY_SOURCE : i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            printf("%g\n", table[i][0]);
        }
    }
    MPI_Finalize();
    return 0;
}
