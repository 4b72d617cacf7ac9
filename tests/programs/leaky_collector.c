/* Rank 0 adds up one number from each of the others in the order of arrival, and never frees a datatype. With 16 ranks it may be in some
 * 15 * 2^14 = 245760 states, by the set that it has heard from and who of it was last: more than the first look at a graph takes in
 * (tests/strategies). With an argument it aborts in the end. */
/* explore: ranks=3 verdict=found class=handle-leak */
/* explore: ranks=3 verdict=found class=abort args=aborts */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, ranks, sum = 0;
    MPI_Datatype pair;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    if (rank != 0)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < ranks; i++) {
        int value;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += value;
    }
    if (rank == 0 && argc > 1)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == 0)
        printf("%d\n", sum);
    MPI_Finalize();
}
