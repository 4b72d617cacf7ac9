/* Collectives with MPI_IN_PLACE, results checked. */
/* explore: ranks=3 verdict=race-free */
/* explore: ranks=4 verdict=race-free buffering=none */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>

enum { MOST = 8 };

static int rank, ranks;

static void rooted(void) {
    int numbers[MOST], mine = rank + 1;
    numbers[0] = 1;
    MPI_Gather(rank == 0 ? MPI_IN_PLACE : &mine, 1, MPI_INT, numbers, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < ranks; i++)
        assert(numbers[i] == i + 1);
    mine = 0;
    MPI_Scatter(numbers, 1, MPI_INT, rank == 0 ? MPI_IN_PLACE : &mine, 1, MPI_INT, 0, MPI_COMM_WORLD);
    assert(rank == 0 || mine == rank + 1);
    int sum = rank + 1;
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : &sum, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    assert(sum == (rank == 0 ? ranks * (ranks + 1) / 2 : rank + 1));
}

static void symmetric(void) {
    int numbers[MOST], sum = rank + 1;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    assert(sum == ranks * (ranks + 1) / 2);
    numbers[rank] = rank * 5;
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, numbers, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; i++)
        assert(numbers[i] == i * 5);
    for (int i = 0; i < ranks; i++)
        numbers[i] = 100 * rank + i;
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, numbers, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; i++)
        assert(numbers[i] == 100 * i + rank);
    int through = rank + 1;
    MPI_Scan(MPI_IN_PLACE, &through, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    assert(through == (rank + 1) * (rank + 2) / 2);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    rooted();
    symmetric();
    if (rank == 0)
        printf("all right\n");
    MPI_Finalize();
    return 0;
}
