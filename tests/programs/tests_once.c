/* Rank 0 posts a receive, tests it once, and if the message is not yet there waits for it. Printing what the test said makes a race
 * of it: both answers are right. Without argument it prints only what it received.
 *
 * With "elsewhere" rank 1 also sends in another way where the program runs under MPI instead of in the explorer: such a run cannot
 * follow an ordering. */
/* explore: ranks=2 verdict=race-free */
/* explore: ranks=2 verdict=found class=race-output args=tell differences=1 */
/* explore: ranks=2 verdict=found class=race-output args=elsewhere */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void receive(int tell) {
    int value, flag;
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    if (!flag)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (tell)
        printf("%s, ", flag ? "at once" : "not yet");
    printf("received %d\n", value);
}

int main(int argc, char **argv) {
    int rank, value = 7;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        receive(argc > 1);
    else if (argc > 1 && strcmp(argv[1], "elsewhere") == 0 && getenv("EXPLORE_REAL_RUN"))
        MPI_Ssend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
