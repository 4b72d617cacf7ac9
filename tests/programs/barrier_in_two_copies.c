/* explore: ranks=3 verdict=race-free advises=none args=needed */
/* explore: ranks=3 verdict=race-free advises=13 args=named */
/* One call of a barrier in the source, of which the program has two copies. It is one place, to be left out in both or in none.
 *
 * needed: the first one decides nothing, as receives name their sources; the second keeps a later message out of an earlier sum.
 * named: neither decides anything. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, ranks;

static inline __attribute__((always_inline)) void end_phase(void) { MPI_Barrier(MPI_COMM_WORLD); }

static void collect(int phase, int is_named) {
    int value = 10 * rank + phase, sum = 0;
    if (rank > 0)
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < ranks; i++) {
        MPI_Recv(&value, 1, MPI_INT, is_named ? i : MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += value;
    }
    if (rank == 0)
        printf("phase %d: %d\n", phase, sum);
}

int main(int argc, char **argv) {
    int is_named = argc > 1 && strcmp(argv[1], "named") == 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    collect(0, 1);
    end_phase();
    collect(1, is_named);
    end_phase();
    collect(2, is_named);
    MPI_Finalize();
    return 0;
}
