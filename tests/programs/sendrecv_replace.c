/* Numbers go once round the ring with MPI_Sendrecv_replace and are back home. */
/* explore: ranks=3 verdict=race-free */
/* explore: ranks=3 verdict=race-free buffering=none */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int pair[2] = {rank, rank * rank};
    for (int i = 0; i < ranks; i++) {
        assert(pair[0] == (rank + ranks - i) % ranks);
        MPI_Sendrecv_replace(pair, 2, MPI_INT, (rank + 1) % ranks, 0, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
    }
    assert(pair[0] == rank && pair[1] == rank * rank);
    MPI_Finalize();
    return 0;
}
