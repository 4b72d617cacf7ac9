/* Rank 0 receives a message from anybody, then polls until there is another one, and receives it. With the argument "named" it polls for
 * one from the last rank: if that was the first to be received, it polls for ever, which is one decision away from the reference
 * ordering. */
/* explore: ranks=3 verdict=race-free args=any */
/* explore: ranks=3 verdict=found class=livelock args=named */
/* explore: ranks=2 verdict=found class=livelock args=named */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank, ranks, value = 1, flag = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0) {
        int source = strcmp(argv[1], "named") == 0 ? ranks - 1 : MPI_ANY_SOURCE;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        while (!flag)
            MPI_Iprobe(source, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
