/* Rank 0 probes for a message from anybody, makes room for it, and receives one from anybody: it may get another message
 * than the one it measured. Rank 1 sends one number, rank 2 two, so the room may be too small. With the argument "named" it
 * receives from the source that the probe named, which is right: nothing can overtake within one channel. */
/* explore: ranks=3 verdict=found class=truncation */
/* explore: ranks=2 verdict=race-free */
/* explore: ranks=3 verdict=race-free args=named */
/* explore: ranks=3 verdict=race-free args=named buffering=none */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int receive_message(int named) {
    MPI_Status status;
    int count, sum = 0;
    MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    int *room = malloc(sizeof *room * count);
    int source = named ? status.MPI_SOURCE : MPI_ANY_SOURCE;
    MPI_Recv(room, count, MPI_INT, source, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
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
