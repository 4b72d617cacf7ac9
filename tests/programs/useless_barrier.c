/* explore: ranks=3 verdict=race-free advises=none args=needed */
/* explore: ranks=3 verdict=race-free advises=none args=needed-apart */
/* explore: ranks=3 verdict=race-free advises=34 args=named */
/* explore: ranks=3 verdict=race-free advises=34 args=tags */
/* explore: ranks=3 verdict=race-free advises=36+38 args=tags-apart */
/* A barrier between phases in which rank 0 receives from everybody.
 *
 * needed: from anyone, with one tag: it keeps the next phase's messages out of this one's sum, which is printed.
 * named, tags: the receives tell the senders, or the phases, apart already.
 * -apart: rank 0 enters it in another place than the others, so that it is left out in both places or in none. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int named = strcmp(argv[1], "named") == 0, tags = strncmp(argv[1], "tags", 4) == 0;
    int apart = strstr(argv[1], "-apart") != NULL;
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
        if (!apart)
            MPI_Barrier(MPI_COMM_WORLD);
        else if (rank == 0)
            MPI_Barrier(MPI_COMM_WORLD);
        else
            MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
