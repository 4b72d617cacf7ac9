/* Each rank of a ring gives its neighbour 2 KB and takes as much from the other one, in as many rounds as the first argument says:
 * the receive is pending while the program runs, so that each step is run again to see whether its buffer is used early. */
#include <mpi.h>
#include <stdlib.h>

enum { NUMBERS = 256 };

int main(int argc, char **argv) {
    static double given[NUMBERS], taken[NUMBERS];
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int rounds = argc > 1 ? atoi(argv[1]) : 1;
    for (int round = 0; round < rounds; round++) {
        given[round % NUMBERS] += taken[0] + rank + round;
        MPI_Request request[2];
        MPI_Irecv(taken, NUMBERS, MPI_DOUBLE, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(given, NUMBERS, MPI_DOUBLE, (rank + 1) % ranks, 0, MPI_COMM_WORLD, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
