/* Every blocking collective with equal counts once, results checked. Data only depends on the rank. */
/* explore: ranks=4 verdict=race-free */
/* explore: ranks=3 verdict=race-free buffering=none */
/* explore: ranks=3 verdict=race-free buffering=infinite */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>

enum { MOST = 8 };

static int rank, ranks;

static void from_the_root(void) {
    int numbers[MOST], mine = 0, shared = rank == 1 ? 77 : 0;
    MPI_Bcast(&shared, 1, MPI_INT, 1, MPI_COMM_WORLD);
    assert(shared == 77);
    for (int i = 0; i < ranks; i++)
        numbers[i] = 10 * i;
    MPI_Scatter(numbers, 1, MPI_INT, &mine, 1, MPI_INT, 0, MPI_COMM_WORLD);
    assert(mine == 10 * rank);
}

static void to_the_root(void) {
    int numbers[MOST], sum = 0, mine = rank + 1;
    MPI_Gather(&mine, 1, MPI_INT, numbers, 1, MPI_INT, 2, MPI_COMM_WORLD);
    for (int i = 0; rank == 2 && i < ranks; i++)
        assert(numbers[i] == i + 1);
    MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    assert(rank != 0 || sum == ranks * (ranks + 1) / 2);
}

static void everybody(void) {
    int numbers[MOST], turned[MOST], mine = rank * rank, largest;
    MPI_Allgather(&mine, 1, MPI_INT, numbers, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; i++)
        assert(numbers[i] == i * i);
    MPI_Allreduce(&mine, &largest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    assert(largest == (ranks - 1) * (ranks - 1));
    for (int i = 0; i < ranks; i++)
        numbers[i] = 100 * rank + i;
    MPI_Alltoall(numbers, 1, MPI_INT, turned, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; i++)
        assert(turned[i] == 100 * i + rank);
}

static void reduce_and_scatter(void) {
    int numbers[MOST], counts[MOST], mine = 0;
    for (int i = 0; i < ranks; i++) {
        numbers[i] = rank + i;
        counts[i] = 1;
    }
    int expected = ranks * rank + ranks * (ranks - 1) / 2;
    MPI_Reduce_scatter_block(numbers, &mine, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    assert(mine == expected);
    MPI_Reduce_scatter(numbers, &mine, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    assert(mine == expected);
}

static void prefixes(void) {
    int mine = rank + 1, before = -1, through;
    MPI_Scan(&mine, &through, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    assert(through == (rank + 1) * (rank + 2) / 2);
    MPI_Exscan(&mine, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    assert(rank == 0 || before == rank * (rank + 1) / 2);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    from_the_root();
    to_the_root();
    everybody();
    MPI_Barrier(MPI_COMM_WORLD);
    reduce_and_scatter();
    prefixes();
    if (rank == 0)
        printf("all right\n");
    MPI_Finalize();
    return 0;
}
