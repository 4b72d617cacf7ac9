/* Rank 1 aborts if it gets rank 0's message before rank 2's, and by then rank 2, which would have sent its own only after it has taken two
 * of rank 1's, is no further than to have found the first of them. The other order must be looked at all the same: in it rank 0's
 * message is never received, or rank 0 waits for ever. Both have to be found beside the abort, be it allowed or not. */
/* explore: ranks=3 verdict=found class=abort|deadlock|unreceived-message */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, value = 0;
    MPI_Request request[2];
    MPI_Message message;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        int got;
        MPI_Isend(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(&value, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, &request[1]);
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        MPI_Wait(&request[0], MPI_STATUS_IGNORE);
        if (status.MPI_SOURCE == 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
        MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    } else {
        MPI_Mprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        MPI_Isend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Wait(&request[0], &status);
    }
    MPI_Finalize();
    return 0;
}
