/* explore: ranks=3 verdict=race-free advises=none args=needed */
/* explore: ranks=3 verdict=race-free advises=29 args=named */
/* explore: ranks=3 verdict=race-free advises=29 args=tags */
/* A barrier between phases in which rank 0 receives from everybody.
 *
 * needed: from anyone, with one tag: it keeps the next phase's messages out of this one's sum, which is printed.
 * named, tags: the receives tell the senders, or the phases, apart already. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int named = strcmp(argv[1], "named") == 0, tags = strcmp(argv[1], "tags") == 0;
    for (int phase = 0; phase < 3; phase++) {
        int value = 10 * rank + phase, sum = 0;
        if (rank > 0)
            MPI_Send(&value, 1, MPI_INT, 0, tags ? phase : 0, MPI_COMM_WORLD);
        for (int i = 1; rank == 0 && i < ranks; i++) {
            MPI_Recv(&value, 1, MPI_INT, named ? i : MPI_ANY_SOURCE, tags ? phase : MPI_ANY_TAG, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            sum += value;
        }
        if (rank == 0)
            printf("phase %d: %d\n", phase, sum);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
