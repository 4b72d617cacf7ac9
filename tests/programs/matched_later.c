/* MPI_Imrecv: rank 0 has claimed the message, but a receive like any other brings it. A test may say that it is not complete yet,
 * and until one says that it is, its buffer must be left alone. Arguments:
 *
 *     tests   prints what MPI_Test says: 0 or 1
 *     some    prints which of two such receives MPI_Waitsome reports first: 1, 2 or both
 *     reads   reads the buffer before it waits
 *     waits   right: waits
 *     cancel  right: the message is taken, so that cancelling its receive does nothing (MPI-3.1 section 3.8.4)
 *     self    right: the message comes from rank 0 itself
 *     nobody  right: there is no message from MPI_PROC_NULL, and its receive is complete at once */
/* explore: ranks=2 verdict=found class=race-output args=tests */
/* explore: ranks=2 verdict=found class=race-output args=some */
/* explore: ranks=2 verdict=found class=buffer-in-use args=reads mpiexec=no */
/* explore: ranks=2 verdict=race-free args=waits */
/* explore: ranks=2 verdict=race-free args=waits buffering=none */
/* explore: ranks=2 verdict=race-free args=cancel */
/* explore: ranks=2 verdict=race-free args=self */
/* explore: ranks=2 verdict=race-free args=nobody */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int number[2];
static MPI_Request request[2];

static void claim(int source, int i) {
    MPI_Message message;
    MPI_Mprobe(source, i, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(&number[i], 1, MPI_INT, &message, &request[i]);
}

static void receive(const char *way) {
    int flag, reported = 0, index[2], cancelled = 0;
    MPI_Status status;
    claim(strcmp(way, "self") == 0 ? 0 : strcmp(way, "nobody") == 0 ? MPI_PROC_NULL : 1, 0);
    claim(1, 1);
    if (strcmp(way, "tests") == 0) {
        MPI_Test(&request[0], &flag, MPI_STATUS_IGNORE);
        printf("test: %d\n", flag);
    } else if (strcmp(way, "some") == 0) {
        MPI_Waitsome(2, request, &reported, index, MPI_STATUSES_IGNORE);
        printf("some: %d\n", reported == 2 ? 3 : index[0] + 1);
    } else if (strcmp(way, "reads") == 0) {
        printf("before: %d\n", number[0]);
    } else if (strcmp(way, "cancel") == 0) {
        MPI_Cancel(&request[0]);
    }
    if (request[0] != MPI_REQUEST_NULL) {
        MPI_Wait(&request[0], &status);
        MPI_Test_cancelled(&status, &cancelled);
    }
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    printf("%d and %d, cancelled: %d\n", number[0], number[1], cancelled);
}

int main(int argc, char **argv) {
    int rank, one = 1, two = 2;
    const char *way = argc > 1 ? argv[1] : "waits";
    MPI_Request sending = MPI_REQUEST_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    bool from_other = strcmp(way, "self") != 0 && strcmp(way, "nobody") != 0;
    if (rank == 0) {
        if (strcmp(way, "self") == 0)
            MPI_Isend(&one, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &sending);
        receive(way);
        MPI_Wait(&sending, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        if (from_other)
            MPI_Ssend(&one, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Ssend(&two, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
