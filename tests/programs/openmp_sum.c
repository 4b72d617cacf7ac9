/* Each rank sums with OpenMP; rank 0 then takes the others' sums in the order in which they come, which shows if "racy". With one
 * thread or four the verdict is the same. */
/* explore: ranks=3 verdict=race-free threads=1 says=OMP_NUM_THREADS args=1 */
/* explore: ranks=3 verdict=found class=race-output threads=1 args=1-racy */
/* explore: ranks=3 verdict=race-free threads=4 args=4 checkpoint=criu */
/* explore: ranks=3 verdict=found class=race-output threads=4 args=4-racy checkpoint=criu */
#include <assert.h>
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 8 };

static long sum_up(int rank, int expected_threads) {
    long part[NUMBERS], sum = 0;
    int threads = 0;
#pragma omp parallel
    {
#pragma omp single
        threads = omp_get_num_threads();
#pragma omp for
        for (int i = 0; i < NUMBERS; i++)
            part[i] = (rank + 1) * (i + 1);
#pragma omp for schedule(dynamic) reduction(+ : sum)
        for (int i = 0; i < NUMBERS; i++)
            sum += part[i];
    }
    assert(threads == expected_threads);
    assert(sum == (rank + 1) * NUMBERS * (NUMBERS + 1) / 2);
    return sum;
}

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    assert(argc == 2);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    long sum = sum_up(rank, atoi(argv[1]));
    if (rank > 0)
        MPI_Send(&sum, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < size; i++) {
        long other;
        MPI_Recv(&other, 1, MPI_LONG, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum = (strstr(argv[1], "racy") ? 3 : 1) * sum + other + sum_up(rank, atoi(argv[1]));
    }
    if (rank == 0)
        printf("%ld\n", sum);
    MPI_Finalize();
    return 0;
}
