/* Rank 0 changes one page in four of 16 MB with each message, so that each of its states has pages of its own. */
/* explore: ranks=4 verdict=race-free */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { PAGE = 4096, PAGES = 16 << 8 };

int main(int argc, char **argv) {
    int rank, ranks, value;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank != 0) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Finalize();
        return 0;
    }
    char *memory = malloc((size_t)PAGES * PAGE);
    for (long i = 0; i < PAGES; i++)
        *(long *)(memory + i * PAGE) = i + 1;
    long seen = 0;
    for (int k = 1; k < ranks; k++) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        seen |= 1l << value;
        for (long i = 0; i < PAGES / 4; i++)
            *(long *)(memory + i * 4 * PAGE + 8) = seen;
    }
    printf("%lx\n", seen);
    free(memory);
    MPI_Finalize();
    return 0;
}
