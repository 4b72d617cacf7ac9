/* The correct twin of probe_then_receive: a matched probe claims the message that it measured. With the argument "poll" the
 * probe is MPI_Improbe in a loop; with "two" rank 0 claims two messages of rank 1 and receives the second one first, on which rank 1
 * waits before rank 0 receives the other. */
/* explore: ranks=3 verdict=race-free */
/* explore: ranks=3 verdict=race-free buffering=none */
/* explore: ranks=3 verdict=race-free args=poll */
/* explore: ranks=2 verdict=race-free args=two */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int receive_message(int poll) {
    MPI_Status status;
    MPI_Message message;
    int count, sum = 0, arrived = 0;
    if (!poll)
        MPI_Mprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &message, &status);
    while (poll && !arrived)
        MPI_Improbe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &arrived, &message, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    int *room = malloc(sizeof *room * count);
    MPI_Mrecv(room, count, MPI_INT, &message, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; i++)
        sum += room[i];
    free(room);
    return sum;
}

static void claim_two(void) {
    int number;
    MPI_Message message[2];
    for (int i = 0; i < 2; i++)
        MPI_Mprobe(1, i, MPI_COMM_WORLD, &message[i], MPI_STATUS_IGNORE);
    MPI_Mrecv(&number, 1, MPI_INT, &message[1], MPI_STATUS_IGNORE);
    MPI_Recv(NULL, 0, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Mrecv(&number, 1, MPI_INT, &message[0], MPI_STATUS_IGNORE);
}

static void send_two(void) {
    int number[2] = {1, 2};
    MPI_Request request[2];
    for (int i = 0; i < 2; i++)
        MPI_Issend(&number[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &request[i]);
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    MPI_Send(NULL, 0, MPI_INT, 0, 2, MPI_COMM_WORLD);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    int rank, ranks, numbers[8] = {1, 10, 100, 1000};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1 && strcmp(argv[1], "two") == 0) {
        rank == 0 ? claim_two() : send_two();
    } else if (rank == 0) {
        int sum = 0;
        for (int i = 1; i < ranks; i++)
            sum += receive_message(argc > 1);
        printf("sum %d\n", sum);
    } else {
        MPI_Send(numbers, rank, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
