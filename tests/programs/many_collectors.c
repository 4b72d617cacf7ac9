/* Sixteen groups of four: in each round the first of a group receives one number from each of the others, in the order of arrival, and
 * answers each. All is said on MPI_COMM_WORLD, so that a wildcard could take a message of any rank, as far as MPI knows. A sum does
 * not depend on the order, so there is no race; and as no group hears from another, the graph has to be the sum of the groups' and
 * not their product, which would have more than 22^16: each group has 7 states in each round, one for each set
 * of numbers heard but the last, and the end. */
/* explore: ranks=4 verdict=race-free */
/* explore: ranks=8 verdict=race-free */
/* explore: ranks=64 verdict=race-free */
#include <mpi.h>
#include <stdio.h>

enum { GROUP = 4, ROUNDS = 3 };

static int collect(void) {
    int sum = 0;
    for (int i = 1; i < GROUP; i++) {
        int value = 0;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += value;
    }
    return sum;
}

int main(int argc, char **argv) {
    int rank, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int first = rank - rank % GROUP;
    for (int round = 0; round < ROUNDS; round++) {
        if (rank != first) {
            MPI_Send(&rank, 1, MPI_INT, first, 0, MPI_COMM_WORLD);
            MPI_Recv(&sum, 1, MPI_INT, first, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            continue;
        }
        sum += collect();
        for (int i = 1; i < GROUP; i++)
            MPI_Send(&sum, 1, MPI_INT, first + i, 1, MPI_COMM_WORLD);
    }
    printf("%d\n", sum);
    MPI_Finalize();
    return 0;
}
