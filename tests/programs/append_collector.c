/* The broken sibling of sum_collector: rank 0 lists the numbers in the order of arrival and prints the list. With one sender
 * there is one order; with more, one difference makes another. */
/* explore: ranks=2 verdict=race-free */
/* explore: ranks=3 verdict=found class=race-output differences=1 */
/* explore: ranks=6 verdict=found class=race-output differences=1 */
/* All but one of 5! lists: */
/* explore: ranks=6 verdict=found class=race-output buffering=none failing=119/120 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank != 0) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        for (int i = 1; i < ranks; i++) {
            int value;
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            printf("%d ", value);
        }
        printf("\n");
    }
    MPI_Finalize();
    return 0;
}
