/* Each rank fills memory with numbers of its own, and they pass a number round a ring, changing one page a round. Arguments:
 * megabytes of a rank, rounds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    size_t numbers = (argc > 1 ? (size_t)atoi(argv[1]) : 1) << 18;
    int rounds = argc > 2 ? atoi(argv[2]) : 100;
    unsigned *memory = malloc((numbers + 1) * sizeof *memory), sum = 0;
    for (size_t i = 0; i <= numbers; i++)
        memory[i] = (unsigned)i * 2654435761u + (unsigned)rank;
    for (int round = 0; round < rounds; round++) {
        unsigned number = memory[numbers / 2 * (size_t)round % (numbers + 1)];
        MPI_Sendrecv_replace(&number, 1, MPI_UNSIGNED, (rank + 1) % ranks, 0, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        sum += number;
        memory[(size_t)round % (numbers + 1)] = sum;
    }
    printf("%u\n", sum);
    free(memory);
    MPI_Finalize();
}
