/* A receive is cancelled while its message may be on the way: either may win. If the cancellation did, the message is received
 * afterwards, so nothing is lost; only what rank 0 prints differs. */
/* explore: ranks=2 verdict=found class=race-output */
/* explore: ranks=2 verdict=found class=race-output buffering=none */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        int value, cancelled;
        MPI_Request request;
        MPI_Status status;
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &cancelled);
        if (cancelled)
            MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%s %d\n", cancelled ? "cancelled, then" : "at once", value);
    } else if (rank == 1) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
