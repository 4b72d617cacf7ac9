/* Ranks that do not agree on a collective: on its root, or (argument "call") on which it is, or (argument "operator") on the
 * operator. */
/* explore: ranks=3 verdict=found class=collective-mismatch */
/* explore: ranks=3 verdict=found class=collective-mismatch buffering=infinite */
/* explore: ranks=3 verdict=found class=collective-mismatch args=call */
/* explore: ranks=3 verdict=found class=collective-mismatch args=operator */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank, value = 1, sum;
    const char *what = argc > 1 ? argv[1] : "root";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(what, "root") == 0)
        MPI_Bcast(&value, 1, MPI_INT, rank == 2 ? 1 : 0, MPI_COMM_WORLD);
    else if (strcmp(what, "operator") == 0)
        MPI_Allreduce(&value, &sum, 1, MPI_INT, rank == 2 ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
    else if (rank == 2)
        MPI_Barrier(MPI_COMM_WORLD);
    else
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
