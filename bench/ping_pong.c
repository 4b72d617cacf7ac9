/* Two ranks pass a counter to and fro: each receive is a step from a local state never seen before. The first argument is the
 * number of rounds, the second how many kilobytes each rank changes in a round. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank, ranks, counter = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int rounds = argc > 1 ? atoi(argv[1]) : 1, kilobytes = argc > 2 ? atoi(argv[2]) : 40;
    char *memory = calloc(kilobytes + 1, 1024);
    for (int round = 0; round < rounds; round++) {
        memset(memory, round, kilobytes * 1024);
        counter++;
        if (rank == 0)
            MPI_Send(&counter, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(&counter, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(&counter, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    free(memory);
    MPI_Finalize();
    return 0;
}
