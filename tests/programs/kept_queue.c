/* A semaphore with two units: who asks for one waits in a queue until there is one. Slots of the queue that are free again hold
 * who waited there, which nobody needs any more and which tells apart states that go on alike, so that there are too many;
 * explore says so. If they are cleared there are not. Of the clients each prints lines of its own, and whoever comes first, all
 * get their units: race-free. */
/* explore: ranks=5 verdict=undecided states=3000 says=queue args=keeps checkpoint=pages */
/* explore: ranks=4 verdict=race-free args=clears */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { TAKE = 1, GIVE, GRANT, QUIT, UNITS = 2, ROUNDS = 2, SLOTS = 64 };

static void serve(int clients, int clears) {
    int queue[SLOTS] = {0}, first = 0, end = 0, units = UNITS, quit = 0;
    while (quit < clients) {
        MPI_Status status;
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == TAKE)
            queue[end++ % SLOTS] = status.MPI_SOURCE;
        else if (status.MPI_TAG == GIVE)
            units++;
        else
            quit++;
        for (; units > 0 && first < end; units--) {
            int *slot = &queue[first++ % SLOTS];
            MPI_Send(NULL, 0, MPI_INT, *slot, GRANT, MPI_COMM_WORLD);
            if (clears)
                *slot = 0;
        }
    }
}

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int server = size - 1;
    if (rank == server) {
        serve(size - 1, argc > 1 && strcmp(argv[1], "clears") == 0);
    } else {
        for (int round = 0; round < ROUNDS; round++) {
            MPI_Send(NULL, 0, MPI_INT, server, TAKE, MPI_COMM_WORLD);
            MPI_Recv(NULL, 0, MPI_INT, server, GRANT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            printf("%d works\n", rank);
            MPI_Send(NULL, 0, MPI_INT, server, GIVE, MPI_COMM_WORLD);
        }
        MPI_Send(NULL, 0, MPI_INT, server, QUIT, MPI_COMM_WORLD);
    }
    MPI_Finalize();
}
