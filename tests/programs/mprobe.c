/* The correct twin of probe_then_receive: a matched probe claims the message that it measured. With the argument "poll" the
 * probe is MPI_Improbe in a loop. */
/* explore: ranks=3 verdict=race-free */
/* explore: ranks=3 verdict=race-free buffering=none */
/* explore: ranks=3 verdict=race-free args=poll */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

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

int main(int argc, char **argv) {
    int rank, ranks, numbers[8] = {1, 10, 100, 1000};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0) {
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
