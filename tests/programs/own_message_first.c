/* Rank 0 sends itself a note and reads it, and which comes first depends on whose message it has received before. With the argument
 * "sent" it sends first in both cases. */
/* explore: ranks=3 verdict=found class=deadlock mpiexec=no */
/* explore: ranks=3 verdict=undecided proof=decomposition says=sends */
/* explore: ranks=3 verdict=race-free proof=decomposition args=sent */
#include <mpi.h>
#include <stdio.h>

static void receive(int source, int tag) {
    int value;
    MPI_Recv(&value, 1, MPI_INT, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    int rank, first, note = 1;
    MPI_Status status;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 0) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        if (first == 1 || argc > 1) {
            MPI_Isend(&note, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
            if (first == 2)
                receive(1, 0);
            receive(0, 1);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            if (first == 1)
                receive(2, 0);
        } else {
            receive(1, 0);
            receive(0, 1);
            MPI_Send(&note, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
