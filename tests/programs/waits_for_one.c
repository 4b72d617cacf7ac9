/* Rank 0 waits for the message of rank 1 alone, while another receive is posted; rank 1 waits for rank 2, which waits for rank 0: a
 * deadlock. It tells what each rank waits for, and not what else it has begun: neither that rank 2 is awaited by rank 0, nor that a
 * send of rank 2 nearly matches a receive that rank 0 is not waiting for. */
/* explore: ranks=3 verdict=found class=deadlock says=MPI_Irecv) */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, value = 0, early = 0;
    MPI_Request later, now;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(&early, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, &later);
        MPI_Irecv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &now);
        MPI_Wait(&now, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 2, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&later, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(&value, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    } else {
        MPI_Ssend(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
