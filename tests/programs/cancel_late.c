/* Rank 0 posts a receive of each tag and cancels one of them only when it has heard of the other: what the cancelled one comes to is
 * decided long after it was posted, and beside requests that are started and cancelled twice. If the message of tag 11 may be there
 * already, either may win; "apart" has none of that tag, so each cancellation does. */
/* explore: ranks=2 verdict=found class=race-output */
/* explore: ranks=2 verdict=race-free args=apart */
#include <mpi.h>
#include <stdio.h>

enum { FIRST = 10, SPARE, NEVER, LAST };

static int was_cancelled(MPI_Request *request) {
    MPI_Status status;
    int cancelled;
    MPI_Cancel(request);
    MPI_Wait(request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    return cancelled;
}

static void receive(int apart) {
    int first, spare, never, last, flag;
    MPI_Request request[3];
    MPI_Irecv(&first, 1, MPI_INT, 1, FIRST, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(&spare, 1, MPI_INT, 1, SPARE, MPI_COMM_WORLD, &request[1]);
    MPI_Recv_init(&never, 1, MPI_INT, 1, NEVER, MPI_COMM_WORLD, &request[2]);
    MPI_Start(&request[2]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    int withdrawn = was_cancelled(&request[1]);
    printf("%d %d", withdrawn, was_cancelled(&request[2]));
    MPI_Start(&request[2]);
    MPI_Recv(&last, 1, MPI_INT, 1, LAST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf(" %d\n", was_cancelled(&request[2]));
    MPI_Request_free(&request[2]);
    MPI_Iprobe(1, SPARE, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (withdrawn && !apart)
        MPI_Recv(&spare, 1, MPI_INT, 1, SPARE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send(int apart) {
    int value = 7;
    MPI_Request request = MPI_REQUEST_NULL;
    if (!apart)
        MPI_Isend(&value, 1, MPI_INT, 0, SPARE, MPI_COMM_WORLD, &request);
    MPI_Send(&value, 1, MPI_INT, 0, FIRST, MPI_COMM_WORLD);
    MPI_Send(&value, 1, MPI_INT, 0, LAST, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    (rank == 0 ? receive : send)(argc > 1);
    MPI_Finalize();
    return 0;
}
