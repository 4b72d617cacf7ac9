/* Rank 0 asks again and again whether its message has come. Each time it is in the state it was in before, so there is an end to what can
 * happen, unless it counts how often it has asked: then there is none, and explore says where and what. To say that the count
 * does not matter makes the states one again. */
/* explore: ranks=2 verdict=race-free args=polls */
/* explore: ranks=2 verdict=undecided states=300 says=explore_ignore args=counts checkpoint=pages */
/* explore: ranks=2 verdict=undecided states=300 says=total args=counts checkpoint=pages */
/* explore: ranks=2 verdict=race-free args=ignores */
#include <explore.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static long total;

int main(int argc, char **argv) {
    int rank, value = 1, come = 0;
    const char *what = argc > 1 ? argv[1] : "polls";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(what, "ignores") == 0)
        explore_ignore(&total, sizeof total);
    if (rank == 1)
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    while (rank == 0 && !come) {
        MPI_Iprobe(1, 0, MPI_COMM_WORLD, &come, MPI_STATUS_IGNORE);
        total += strcmp(what, "polls") != 0;
    }
    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d\n", value);
    }
    MPI_Finalize();
}
