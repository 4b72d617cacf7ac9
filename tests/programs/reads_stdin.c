/* Rank 0 reads a number for each other rank from stdin, whose own is empty. The squares come back in any order: their sum is always the
 * same, their order is not. (What the others read under mpiexec is up to mpiexec; some let them wait for ever.) */
/* explore: ranks=4 verdict=race-free input=3,4,5,6 mpiexec=no */
/* explore: ranks=3 verdict=found class=race-output input=3,4 args=order */
/* explore: ranks=3 verdict=race-free input=3,3 args=order mpiexec=no */
/* explore: ranks=2 verdict=found class=exit-status */
#include <mpi.h>
#include <stdio.h>

static int deal_out(int ranks, int in_order) {
    int value, sum = 0;
    for (int i = 1; i < ranks; i++) {
        if (scanf("%d", &value) != 1)
            return 1;
        MPI_Send(&value, 1, MPI_INT, i, 0, MPI_COMM_WORLD);
    }
    for (int i = 1; i < ranks; i++) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += value;
        if (in_order)
            printf("%d\n", value);
    }
    printf("sum %d\n", sum);
    return 0;
}

static int square(void) {
    int value;
    if (scanf("%d", &value) != EOF)
        return 1;
    MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    value *= value;
    MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    return 0;
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0 ? deal_out(ranks, argc > 1) : square())
        return 1;
    MPI_Finalize();
    return 0;
}
