/* Rank 0 frees the request of a send at once and knows from the answer that it arrived. */
/* explore: ranks=2 verdict=race-free */
/* explore: ranks=2 verdict=race-free buffering=none */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, value = 21;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        int answer;
        MPI_Request request;
        MPI_Isend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
        MPI_Recv(&answer, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(request == MPI_REQUEST_NULL && answer == 42);
    } else if (rank == 1) {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        value *= 2;
        MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
