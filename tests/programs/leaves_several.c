/* Orderings that come to their end with several findings at once: a message is left there, a request and a communicator, and with
 * three ranks the output depends on the order of messages as well. With --keep-going or --allow all of them are told, each has a
 * witness of its own, and each of these must show its own finding again, though it is not the first that the ordering leads to. */
/* explore: ranks=2 verdict=found class=unreceived-message */
/* explore: ranks=2 verdict=found class=unreceived-message|request-leak|handle-leak keep-going=yes args=leftovers */
/* explore: ranks=3 verdict=found class=handle-leak|race-output keep-going=yes args=order */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void leave_message_and_request(int rank) {
    static int value;
    MPI_Request request;
    if (rank == 0) {
        MPI_Isend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
    } else {
        MPI_Irecv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
    }
}

static void print_in_order(int rank) {
    for (int i = 0, source = rank; rank == 0 && i < 2; i++) {
        MPI_Recv(&source, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d\n", source);
    }
    if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Comm left;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1 && strcmp(argv[1], "order") == 0)
        print_in_order(rank);
    else
        leave_message_and_request(rank);
    MPI_Comm_dup(MPI_COMM_SELF, &left);
    MPI_Finalize();
    return 0;
}
