/* Neighbour exchange with MPI_Sendrecv in a chain: every receive names its source, and the calls cannot block each other. */
/* explore: ranks=4 verdict=race-free */
/* explore: ranks=4 verdict=race-free buffering=none */
/* explore: ranks=4 verdict=race-free buffering=infinite */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    int cell = rank * 10;
    for (int iteration = 0; iteration < 3; iteration++) {
        int from_left = cell, from_right = cell;
        MPI_Sendrecv(&cell, 1, MPI_INT, right, 0, &from_left, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&cell, 1, MPI_INT, left, 1, &from_right, 1, MPI_INT, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        cell = from_left + from_right;
    }
    int total;
    MPI_Allreduce(&cell, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    assert(ranks != 4 || total == 480);
    MPI_Finalize();
    return 0;
}
