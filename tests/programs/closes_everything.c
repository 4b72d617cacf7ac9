/* Closes every descriptor it might have, as daemons do, and goes on. That is its right; under mpiexec it cuts the rank off
 * from its process manager, so it is not run there. */
/* explore: ranks=2 verdict=race-free mpiexec=no */
/* explore: ranks=3 verdict=race-free mpiexec=no */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int rank, ranks, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int descriptor = 0; descriptor < 1024; descriptor++)
        close(descriptor);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < ranks; i++)
        MPI_Recv(&sum, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != 0)
        MPI_Send(&sum, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
