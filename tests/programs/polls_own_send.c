/* Rank 0 starts a send, polls until it is complete, and only then sends what rank 1 waits for first. If the first send is not
 * buffered, it polls for ever: that is all that is wrong, as with buffering everything ends. The witness of that has no decision at
 * all, as not to buffer is none, while what a rank does by default is to buffer. */
/* explore: ranks=2 verdict=found class=livelock */
/* explore: ranks=2 verdict=found class=livelock buffering=none */
/* explore: ranks=2 verdict=race-free buffering=infinite */
/* explore: ranks=2 verdict=found class=livelock args=later */
#include <mpi.h>

static void talk(int rank, int tag) {
    int value = tag, sent = 0;
    MPI_Request request;
    if (rank == 0) {
        MPI_Isend(&value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, &request);
        while (!sent)
            MPI_Test(&request, &sent, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 1, tag + 1, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, tag + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv) {
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1) { /* there are decisions before */
        if (rank == 0)
            MPI_Send(&value, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
        else
            MPI_Recv(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    talk(rank, 0);
    MPI_Finalize();
    return 0;
}
