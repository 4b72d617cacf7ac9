/* A fence that begins an epoch and ends none (MPI_MODE_NOPRECEDE) need not synchronise: rank 0 may receive before it what
 * rank 1 sends after it. A fence that ends an epoch does, and then that is a deadlock. */
/* explore: ranks=2 verdict=race-free mpiexec=no */
/* explore: ranks=2 verdict=found class=deadlock args=closing */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv) {
    int rank, memory = 0;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    int assertion = argc > 1 ? 0 : MPI_MODE_NOPRECEDE;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (rank == 0)
        MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_fence(assertion, window);
    if (rank == 1)
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
