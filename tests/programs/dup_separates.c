/* A library's messages on a duplicated communicator cannot be taken by the program's wildcard receive. With the argument
 * "shared" both use the world, and they can. */
/* explore: ranks=3 verdict=race-free */
/* explore: ranks=3 verdict=race-free buffering=none */
/* explore: ranks=3 verdict=found class=race-output args=shared */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Comm library;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &library);
    MPI_Comm used = argc > 1 ? MPI_COMM_WORLD : library;
    if (rank == 0) {
        int ours, theirs;
        MPI_Recv(&ours, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&theirs, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, used, MPI_STATUS_IGNORE);
        printf("ours %d, theirs %d\n", ours, theirs);
    } else {
        MPI_Request request;
        MPI_Isend(&rank, 1, MPI_INT, 0, 0, rank == 1 ? MPI_COMM_WORLD : used, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&library);
    MPI_Finalize();
    return 0;
}
