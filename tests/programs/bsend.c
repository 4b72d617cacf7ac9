/* head_to_head done right: MPI_Bsend with an attached buffer never waits for the receiver. */
/* explore: ranks=2 verdict=race-free */
/* explore: ranks=2 verdict=race-free buffering=none */
#include <assert.h>
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, other, size = 1024 + MPI_BSEND_OVERHEAD;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    void *room = malloc(size), *detached;
    MPI_Buffer_attach(room, size);
    MPI_Bsend(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Recv(&other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&detached, &size);
    assert(detached == room && other == 1 - rank);
    free(room);
    MPI_Finalize();
    return 0;
}
