/* Sends to a rank that does not exist. */
/* explore: ranks=2 verdict=found class=invalid-argument */
#include <mpi.h>

int main(int argc, char **argv) {
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Send(&ranks, 1, MPI_INT, ranks, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
