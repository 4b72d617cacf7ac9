/* Four ranks as a 2 x 2 grid: sums along rows and columns on communicators from MPI_Comm_split. */
/* explore: ranks=4 verdict=race-free */
/* explore: ranks=4 verdict=race-free buffering=none */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>

enum { WIDTH = 2 };

int main(int argc, char **argv) {
    int rank, sum_of_row, sum_of_column, place;
    MPI_Comm row, column, nothing;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int x = rank % WIDTH, y = rank / WIDTH;
    MPI_Comm_split(MPI_COMM_WORLD, y, x, &row);
    MPI_Comm_split(MPI_COMM_WORLD, x, -y, &column); /* columns run upwards */
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, 0, &nothing);
    assert((nothing == MPI_COMM_NULL) == (rank == 0));
    MPI_Comm_rank(row, &place);
    assert(place == x);
    MPI_Comm_rank(column, &place);
    assert(place == 1 - y);
    MPI_Allreduce(&rank, &sum_of_row, 1, MPI_INT, MPI_SUM, row);
    MPI_Allreduce(&rank, &sum_of_column, 1, MPI_INT, MPI_SUM, column);
    assert(sum_of_row == 4 * y + 1 && sum_of_column == 2 * x + 2);
    if (nothing != MPI_COMM_NULL)
        MPI_Comm_free(&nothing);
    MPI_Comm_free(&row);
    MPI_Comm_free(&column);
    if (rank == 0)
        printf("row %d, column %d\n", sum_of_row, sum_of_column);
    MPI_Finalize();
    return 0;
}
