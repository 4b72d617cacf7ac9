/* A receive that nobody answers is cancelled: it always reports so. */
/* explore: ranks=2 verdict=race-free */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    int value, cancelled;
    MPI_Request request;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    assert(cancelled);
    MPI_Finalize();
    return 0;
}
