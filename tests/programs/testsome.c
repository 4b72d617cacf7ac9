/* Rank 0 polls its receives with MPI_Testsome until all have come. Nothing is counted but what arrived, so the loop closes
 * and ends. With the argument "testall" it polls with MPI_Testall, with "testany" with MPI_Testany. */
/* explore: ranks=3 verdict=race-free */
/* explore: ranks=3 verdict=race-free args=testall */
/* explore: ranks=3 verdict=race-free args=testany */
/* explore: ranks=3 verdict=race-free buffering=none */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 8 };

static int take_some(int count, MPI_Request *request, const int *value, int *sum) {
    int arrived, which[MOST];
    MPI_Testsome(count, request, &arrived, which, MPI_STATUSES_IGNORE);
    if (arrived == MPI_UNDEFINED)
        return 0;
    for (int i = 0; i < arrived; i++)
        *sum += value[which[i]];
    return arrived;
}

static int take_any(int count, MPI_Request *request, const int *value, int *sum) {
    int arrived, which;
    MPI_Testany(count, request, &which, &arrived, MPI_STATUS_IGNORE);
    if (!arrived || which == MPI_UNDEFINED)
        return 0;
    *sum += value[which];
    return 1;
}

static int take_all(int count, MPI_Request *request, const int *value, int *sum) {
    int arrived;
    MPI_Testall(count, request, &arrived, MPI_STATUSES_IGNORE);
    if (!arrived)
        return 0;
    for (int i = 0; i < count; i++)
        *sum += value[i];
    return count;
}

static int collect(int ranks, const char *how) {
    int value[MOST], sum = 0, done = 0;
    MPI_Request request[MOST];
    for (int i = 1; i < ranks; i++)
        MPI_Irecv(&value[i - 1], 1, MPI_INT, i, 0, MPI_COMM_WORLD, &request[i - 1]);
    while (done < ranks - 1) {
        if (strcmp(how, "testall") == 0)
            done += take_all(ranks - 1, request, value, &sum);
        else if (strcmp(how, "testany") == 0)
            done += take_any(ranks - 1, request, value, &sum);
        else
            done += take_some(ranks - 1, request, value, &sum);
    }
    return sum;
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0)
        printf("sum %d\n", collect(ranks, argc > 1 ? argv[1] : "testsome"));
    else
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
