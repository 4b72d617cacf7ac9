/* Rank 0 adds 0.1, 0.2 and 0.3 in the order of arrival: 0.1 + 0.2 + 0.3 and 0.2 + 0.3 + 0.1 differ in the last digit. Two
 * numbers commute. */
/* explore: ranks=3 verdict=race-free */
/* explore: ranks=4 verdict=found class=race-output */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double tenths = rank / 10.0, sum = 0;
    if (rank == 0) {
        for (int i = 1; i < ranks; i++) {
            double value;
            MPI_Recv(&value, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += value;
        }
        printf("%.17g\n", sum);
    } else {
        MPI_Send(&tenths, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
