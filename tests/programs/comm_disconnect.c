/* MPI_Comm_disconnect (MPI-3.1 section 10.5.4) ends a communicator, and may wait for all of its members. "late": rank 1 disconnects only
 * after a message that rank 0 sends after it has disconnected itself, which is a deadlock where it waits. "free": MPI_Comm_free does
  * not wait. "world" must not be disconnected. */
/* explore: ranks=3 verdict=race-free args=right */
/* explore: ranks=2 verdict=found class=deadlock args=late */
/* explore: ranks=2 verdict=race-free args=free mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument args=world */
#include <assert.h>
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "right";
    int rank, sum;
    MPI_Comm copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, copy);
    if (strcmp(mode, "world") == 0)
        MPI_Comm_disconnect(&(MPI_Comm){MPI_COMM_WORLD});
    if (rank == 1 && strcmp(mode, "right") != 0)
        MPI_Recv(&sum, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(mode, "free") == 0)
        MPI_Comm_free(&copy);
    else
        MPI_Comm_disconnect(&copy);
    assert(copy == MPI_COMM_NULL);
    if (rank == 0 && strcmp(mode, "right") != 0)
        MPI_Send(&sum, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
