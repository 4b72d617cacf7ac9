/* Rank 0 takes its receives in the sets that MPI_Waitsome reports. Adding up is harmless; with the argument "sets" it prints
 * how many came at a time, which is open. While it waits, the first of those that it was told of before is forgotten, as
 * another one will surely take its place (67 states of 6 ranks instead of 117). */
/* explore: ranks=3 verdict=race-free */
/* explore: ranks=4 verdict=race-free buffering=none */
/* explore: ranks=6 verdict=race-free proof=state-graph states=100 */
/* explore: ranks=3 verdict=found class=race-output args=sets */
#include <mpi.h>
#include <stdio.h>

enum { MOST = 8 };

static void collect(int ranks, int print_sets) {
    int value[MOST], which[MOST], sum = 0;
    MPI_Request request[MOST];
    for (int i = 1; i < ranks; i++)
        MPI_Irecv(&value[i - 1], 1, MPI_INT, i, 0, MPI_COMM_WORLD, &request[i - 1]);
    for (int done = 0, count; done < ranks - 1; done += count) {
        MPI_Waitsome(ranks - 1, request, &count, which, MPI_STATUSES_IGNORE);
        for (int i = 0; i < count; i++)
            sum += value[which[i]];
        if (print_sets)
            printf("%d at once\n", count);
    }
    printf("sum %d\n", sum);
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0)
        collect(ranks, argc > 1);
    else
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
