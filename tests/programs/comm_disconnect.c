/* MPI_Comm_disconnect (MPI-3.1 section 10.5.4) ends a communicator, and may wait for all of its members. "late": rank 1 disconnects only
 * after a message that rank 0 sends after it has disconnected itself, which is a deadlock where it waits. "free": MPI_Comm_free does
 * not wait. "world" must not be disconnected. "raced": of two messages for rank 0 the second comes after rank 1 has disconnected, which
 * need not wait for rank 0, so it may be the first to be received. */
/* explore: ranks=3 verdict=race-free args=right */
/* explore: ranks=2 verdict=found class=deadlock args=late */
/* explore: ranks=2 verdict=race-free args=free mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument args=world */
/* explore: ranks=3 verdict=found class=race-output args=raced */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void receive_one(void) {
    int number;
    MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%d\n", number);
}

static void race(int rank, MPI_Comm *copy) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0)
        receive_one();
    if (rank == 2)
        MPI_Isend(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Comm_disconnect(copy);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0)
        receive_one();
    if (rank == 1)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
}

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
    if (strcmp(mode, "raced") == 0) {
        race(rank, &copy);
        MPI_Finalize();
        return 0;
    }
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
