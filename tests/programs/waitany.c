/* Rank 0 has one receive open for each other rank and takes them as MPI_Waitany reports them. Adding up is harmless; with the
 * argument "list" it prints the order of completion, which is open although every receive names its source. */
/* explore: ranks=4 verdict=race-free */
/* explore: ranks=4 verdict=race-free buffering=none */
/* explore: ranks=2 verdict=race-free args=list */
/* explore: ranks=3 verdict=found class=race-output args=list differences=1 */
#include <mpi.h>
#include <stdio.h>

enum { MOST = 8 };

static void collect(int ranks, int list) {
    int value[MOST], sum = 0;
    MPI_Request request[MOST];
    for (int i = 1; i < ranks; i++)
        MPI_Irecv(&value[i - 1], 1, MPI_INT, i, 0, MPI_COMM_WORLD, &request[i - 1]);
    for (int i = 1; i < ranks; i++) {
        int which;
        MPI_Waitany(ranks - 1, request, &which, MPI_STATUS_IGNORE);
        sum += value[which];
        if (list)
            printf("%d ", value[which]);
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
