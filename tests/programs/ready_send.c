/* A ready send needs a receive that is posted already (MPI-3.1 section 3.4).
 *
 *   barrier   the receive is posted before a barrier, the send comes after it: always ready
 *   message   the same with a message from the receiver instead of the barrier
 *   blind     nothing makes the receive come first, though a scheduler may happen to run it first
 *   late      the receiver is awaited, but before it posts the receive
 *   twice     two ready sends and one posted receive
 *   other     a message with another tag is sent before, for which a receive of its own comes later
 *   taken     ... but what was posted is for any tag, so that message takes it
 *   overtaken a ready send may be over before it is received, like a standard one: what rank 2 sends then may be received first
 */
/* explore: ranks=2 verdict=race-free args=barrier */
/* explore: ranks=2 verdict=race-free args=message */
/* explore: ranks=2 verdict=race-free args=itself */
/* explore: ranks=2 verdict=found class=invalid-argument says=ready args=blind mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument says=ready args=blind_down mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument says=ready args=late mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument says=ready args=twice mpiexec=no */
/* explore: ranks=2 verdict=race-free args=other */
/* explore: ranks=2 verdict=found class=invalid-argument says=ready args=taken mpiexec=no */
/* explore: ranks=3 verdict=found class=race-output args=overtaken mpiexec=no */
/* explore: ranks=3 verdict=race-free buffering=none args=overtaken mpiexec=no */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const char *mode;

static int is(const char *name) { return strcmp(mode, name) == 0; }

static void send(int to) {
    int number = 7;
    if (is("barrier") || is("twice") || is("late"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (is("message"))
        MPI_Recv(&number, 1, MPI_INT, to, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Rsend(&number, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
    if (is("twice"))
        MPI_Rsend(&number, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
}

static void receive(int from) {
    int number = 0;
    MPI_Request request;
    if (is("late"))
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Irecv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
    if (is("barrier") || is("twice"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (is("message"))
        MPI_Send(&from, 1, MPI_INT, from, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (is("twice"))
        MPI_Recv(&number, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_to_itself(int rank) {
    int out = 5, in;
    MPI_Request request;
    MPI_Irecv(&in, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);
    MPI_Rsend(&out, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void send_another_before(void) {
    int numbers[2] = {1, 2};
    MPI_Request request;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Isend(&numbers[0], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
    MPI_Rsend(&numbers[1], 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void receive_two(void) {
    int first, second;
    MPI_Request request;
    MPI_Irecv(&first, 1, MPI_INT, 0, is("taken") ? MPI_ANY_TAG : 0, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Recv(&second, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void overtake(int rank) {
    int number = rank, received[2];
    MPI_Request request[2];
    for (int i = 0; i < 2 && rank == 1; i++)
        MPI_Irecv(&received[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Rsend(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&number, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    } else if (rank == 2) {
        MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        printf("%d %d\n", received[0], received[1]);
    }
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    mode = argc > 1 ? argv[1] : "barrier";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int sender = is("blind_down") ? 1 : 0;
    if (is("itself"))
        send_to_itself(rank);
    else if (is("overtaken"))
        overtake(rank);
    else if (is("other") || is("taken"))
        rank == 0 ? send_another_before() : receive_two();
    else if (rank == sender)
        send(1 - rank);
    else
        receive(1 - rank);
    MPI_Finalize();
    return 0;
}
