/* explore: ranks=4 verdict=race-free advises=25 args=blocking */
/* explore: ranks=4 verdict=race-free advises=27 args=nonblocking */
/* Each rank of a ring exchanges its value with both neighbours, twice, into receives that are posted before. No synchronous send orders
 * anything: each receive names its source. But a rank gets messages in the background in any order, one of the left neighbour's before one of the
 * right one's or after it: only what the rank is told of counts. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int blocking = strcmp(argv[1], "blocking") == 0, value = rank,
        neighbour[2] = {(rank + 1) % ranks, (rank + ranks - 1) % ranks};
    for (int round = 0; round < 2; round++) {
        int got[2];
        MPI_Request request[4];
        for (int side = 0; side < 2; side++)
            MPI_Irecv(&got[side], 1, MPI_INT, neighbour[side], 0, MPI_COMM_WORLD, &request[side]);
        for (int side = 0; side < 2; side++) {
            request[2 + side] = MPI_REQUEST_NULL;
            if (blocking)
                MPI_Ssend(&value, 1, MPI_INT, neighbour[side], 0, MPI_COMM_WORLD);
            else
                MPI_Issend(&value, 1, MPI_INT, neighbour[side], 0, MPI_COMM_WORLD, &request[2 + side]);
        }
        MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
        value += got[0] - 2 * got[1];
    }
    printf("%d\n", value);
    MPI_Finalize();
    return 0;
}
