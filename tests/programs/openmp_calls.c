/* MPI called by whichever thread of OpenMP comes to it, one at a time (MPI_THREAD_SERIALIZED). What matters is the same in every order of
 * the threads, so all that can differ is the order of messages.
 *
 *     single    in each round one thread exchanges the two ranks' values and sums them up by MPI_Allreduce, while the others wait at the
 *               barrier behind; then all compute. No receive has a choice: race-free.
 *     critical  each thread exchanges a value with its like on the other rank, in two critical sections, one within the other. All have
 *               posted their sends and receives before the first one waits, and each has a tag of its own: race-free.
 *     sum       thread 1 of rank 0, never the main one, receives from anybody and sums up: the same in either order.
 *     racy      the same, but it weighs what came before by 3: of 1 and 2 it makes 5 or 7.
 *
 * With one thread, which is the main one, "single" and "critical" are right as well. */
/* explore: ranks=2 verdict=race-free threads=4 args=single checkpoint=criu says=orders */
/* explore: ranks=2 verdict=race-free threads=3 args=critical checkpoint=criu says=orders */
/* explore: ranks=3 verdict=race-free threads=2 args=sum checkpoint=criu says=orders */
/* explore: ranks=3 verdict=found class=race-output threads=2 args=racy checkpoint=criu differences=1 */
/* explore: ranks=2 verdict=race-free threads=1 args=single */
/* explore: ranks=2 verdict=race-free threads=1 args=critical */
#include <assert.h>
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 3, THREADS_MOST = 8 };

static int rank, size;

static int exchange(int value) {
    int other, sum;
    MPI_Sendrecv(&value, 1, MPI_INT, 1 - rank, 0, &other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    assert(sum == value + other);
    return sum;
}

static void exchange_in_single(void) {
    int value = rank + 1, parts = 0;
#pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp single
        {
            value = exchange(value);
            parts = 0;
        }
#pragma omp atomic
        parts += value;
#pragma omp barrier
#pragma omp single
        value = rank + 1 + parts / omp_get_num_threads();
    }
    printf("%d\n", value);
}

static void exchange_in_critical(void) {
    int given[THREADS_MOST], taken[THREADS_MOST], sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
        const int me = omp_get_thread_num();
        MPI_Request request[2];
        given[me] = 10 * rank + me;
#pragma omp critical(outer)
        {
#pragma omp critical(inner)
            {MPI_Irecv(&taken[me], 1, MPI_INT, 1 - rank, me, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(&given[me], 1, MPI_INT, 1 - rank, me, MPI_COMM_WORLD, &request[1]);
    }
}
#pragma omp barrier
#pragma omp critical(outer)
{
#pragma omp critical(inner)
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}
assert(taken[me] == 10 * (1 - rank) + me);
sum += taken[me];
}
printf("%d\n", sum);
}

static void collect(int weight) {
    int sum = 0;
#pragma omp parallel
    if (omp_get_thread_num() == 1) {
        for (int i = 1; i < size; i++) {
            int value, is_main;
            MPI_Is_thread_main(&is_main);
            assert(!is_main);
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum = weight * sum + value;
        }
    }
    printf("%d\n", sum);
}

int main(int argc, char **argv) {
    int provided;
    assert(argc == 2);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    assert(provided == MPI_THREAD_SERIALIZED);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(argv[1], "single") == 0)
        exchange_in_single();
    else if (strcmp(argv[1], "critical") == 0)
        exchange_in_critical();
    else if (rank == 0)
        collect(strcmp(argv[1], "racy") == 0 ? 3 : 1);
    else
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
