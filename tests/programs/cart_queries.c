/* What a process can ask of a grid of 3 x 2, periodic in its first dimension, and the columns that it is cut into. Ranks are in
 * row-major order (MPI-3.1 section 7.1): rank 2 * row + column. */
/* explore: ranks=6 verdict=race-free */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, where[2], size[2], periodic[2], other, up, down, rank_in_column, below, sum;
    MPI_Comm grid, column;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Cart_map(MPI_COMM_WORLD, 2, (int[]){3, 2}, (int[]){1, 0}, &other);
    assert(other >= 0 && other < 6);
    MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){3, 2}, (int[]){1, 0}, 0, &grid);
    MPI_Cart_coords(grid, rank, 2, where);
    assert(where[0] == rank / 2 && where[1] == rank % 2);
    MPI_Cart_get(grid, 2, size, periodic, where);
    assert(size[0] == 3 && size[1] == 2 && periodic[0] && !periodic[1] && where[0] == rank / 2 && where[1] == rank % 2);
    MPI_Cart_rank(grid, (int[]){where[0] + 3, where[1]}, &other);
    assert(other == rank);
    MPI_Cart_rank(grid, (int[]){where[0] - 9, where[1]}, &other);
    assert(other == rank);
    MPI_Cart_shift(grid, 0, -4, &up, &down); /* from one row on, to one row back */
    assert(up == (rank + 2) % 6 && down == (rank + 4) % 6);
    MPI_Cart_shift(grid, 1, 1, &up, &down);
    assert(up == (where[1] == 0 ? MPI_PROC_NULL : rank - 1) && down == (where[1] == 1 ? MPI_PROC_NULL : rank + 1));

    MPI_Cart_sub(grid, (int[]){1, 0}, &column);
    MPI_Comm_rank(column, &rank_in_column);
    assert(rank_in_column == where[0]);
    MPI_Cart_shift(column, 0, 1, &up, &below);
    MPI_Sendrecv(&rank, 1, MPI_INT, below, 0, &other, 1, MPI_INT, up, 0, column, MPI_STATUS_IGNORE);
    assert(other == (rank + 4) % 6);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, column);
    assert(sum == 6 + 3 * where[1]);
    MPI_Comm_free(&column);
    MPI_Cart_sub(grid, (int[]){0, 0}, &column); /* a grid without dimensions, which MPICH makes for the first process only */
    assert((column != MPI_COMM_NULL) == (rank == 0));
    if (column != MPI_COMM_NULL) {
        MPI_Cartdim_get(column, size);
        MPI_Comm_size(column, &sum);
        assert(size[0] == 0 && sum == 1);
        MPI_Comm_free(&column);
    }
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
