/* A ring with persistent requests, started three times: after three turns each rank has the number of the one three to its
 * left. */
/* explore: ranks=3 verdict=race-free */
/* explore: ranks=4 verdict=race-free buffering=none */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, ranks, received;
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int token = rank;
    MPI_Send_init(&token, 1, MPI_INT, (rank + 1) % ranks, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Recv_init(&received, 1, MPI_INT, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, &request[1]);
    for (int turn = 0; turn < 3; turn++) {
        MPI_Startall(2, request);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        token = received;
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    assert(token == (rank + 3 * ranks - 3) % ranks);
    MPI_Finalize();
    return 0;
}
