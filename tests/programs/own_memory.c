/* Each rank fills 8 MB with numbers of its own, and they pass one round a ring 20 times: the sum is the same in every ordering. Steps hardly
 * change that memory, but where an executor has had another rank's, all of it has to be brought back (tests/memory_budget). */
/* explore: ranks=4 verdict=race-free checkpoint=pages */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { NUMBERS = 2 << 20, ROUNDS = 20 };

int main(int argc, char **argv) {
    int rank, ranks;
    unsigned sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    unsigned *memory = malloc(NUMBERS * sizeof *memory);
    for (unsigned i = 0; i < NUMBERS; i++)
        memory[i] = i * 2654435761u + (unsigned)rank;
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned number = memory[round * 1000];
        MPI_Sendrecv_replace(&number, 1, MPI_UNSIGNED, (rank + 1) % ranks, 0, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        sum += number;
    }
    printf("%u\n", sum);
    free(memory);
    MPI_Finalize();
}
