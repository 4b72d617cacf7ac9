/* As reduce_left_early, nonblocking: rank 1 completes its part in a reduction and then sends; rank 0, the root, receives from
 * anyone before it begins the reduction. Rank 1's part needs nobody, so it may complete before the root begins: then its
 * message can be first. If it completes only when all have begun, rank 1 sends too late for the first receive. (With buffered
 * sends and a synchronising reduction nothing can go wrong: rank 2's message is under way before anyone waits.) Argument
 * "named": the root names the rank that it receives from: no race, but if rank 1's message is to be first and the reduction
 * does not complete early, root and rank 1 wait for each other. */
/* explore: ranks=3 verdict=race-free buffering=none */
/* explore: ranks=3 verdict=found class=race-output buffering=infinite */
/* explore: ranks=3 verdict=found class=race-output */
/* explore: ranks=3 verdict=found class=deadlock args=named */
/* explore: ranks=3 verdict=race-free args=named buffering=infinite */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, sum = 0, first, second;
    (void)argv;
    int named = argc > 1;
    MPI_Request reduction;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Recv(&first, 1, MPI_INT, named ? 1 : MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Ireduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &reduction);
    if (rank == 1) {
        MPI_Wait(&reduction, MPI_STATUS_IGNORE);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    if (rank == 0)
        MPI_Recv(&second, 1, MPI_INT, named ? 2 : MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&reduction, MPI_STATUS_IGNORE);
    if (rank == 0)
        printf("sum %d, first from %d, second from %d\n", sum, first, second);
    MPI_Finalize();
    return 0;
}
