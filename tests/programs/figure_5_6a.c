/* Thesis figure 5.6a: the root may leave the broadcast before the others have entered it, so its later send can overtake
 * rank 2's earlier one into rank 1's first wildcard receive. With synchronising collectives (--buffering none) the first
 * receive has ended before rank 0 can send. When each decides for itself, rank 0 may leave the broadcast and still rank
 * 2's send be unbuffered while rank 1 waits in the broadcast: a deadlock as well as a race. */
/* explore: ranks=3 verdict=race-free buffering=none */
/* explore: ranks=3 verdict=found class=race-output buffering=infinite */
/* explore: ranks=3 verdict=found class=race-output|deadlock buffering=all */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, shared = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        shared = 42;
        MPI_Bcast(&shared, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        int first, second;
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Bcast(&shared, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("first from %d, second from %d\n", first, second);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Bcast(&shared, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
