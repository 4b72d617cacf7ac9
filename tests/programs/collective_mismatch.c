/* Ranks that do not agree on a collective: on its root, or (argument "call") on which it is, or (argument "operator") on the
 * operator, or (argument "shares") on how many elements are whose; what each of two ranks has is told, or how it begins. */
/* explore: ranks=3 verdict=found class=collective-mismatch */
/* explore: ranks=3 verdict=found class=collective-mismatch buffering=infinite */
/* explore: ranks=3 verdict=found class=collective-mismatch args=call */
/* explore: ranks=3 verdict=found class=collective-mismatch args=operator says=MPI_MAX */
/* explore: ranks=3 verdict=found class=collective-mismatch args=shares says=101, */
/* explore: ranks=40 verdict=found class=collective-mismatch args=shares says=109... */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static void share(int rank, int ranks) {
    int *numbers = calloc(ranks * 200, sizeof *numbers), *shares = malloc(ranks * sizeof *shares), own[200];
    for (int i = 0; i < ranks; i++)
        shares[i] = 100 + (rank == 2 ? ranks - 1 - i : i);
    MPI_Reduce_scatter(numbers, own, shares, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    free(shares);
    free(numbers);
}

int main(int argc, char **argv) {
    int rank, ranks, value = 1, sum;
    const char *what = argc > 1 ? argv[1] : "root";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (strcmp(what, "root") == 0)
        MPI_Bcast(&value, 1, MPI_INT, rank == 2 ? 1 : 0, MPI_COMM_WORLD);
    else if (strcmp(what, "operator") == 0)
        MPI_Allreduce(&value, &sum, 1, MPI_INT, rank == 2 ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
    else if (strcmp(what, "shares") == 0)
        share(rank, ranks);
    else if (rank == 2)
        MPI_Barrier(MPI_COMM_WORLD);
    else
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
