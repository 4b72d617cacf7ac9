/* A receive's buffer holds what no message brings, -1 or 0, and is compared before the receive is complete: with something positive, which
 * neither of these is, nor what is left when all their bits are turned over. With "right" it is compared after the wait. */
/* explore: ranks=2 verdict=found class=buffer-in-use args=-1 */
/* explore: ranks=2 verdict=found class=buffer-in-use args=0 */
/* explore: ranks=2 verdict=race-free args=right */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank, largest = 5, before, larger = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    int right = argc < 2 || strcmp(argv[1], "right") == 0;
    before = right ? -1 : atoi(argv[1]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(&largest, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Irecv(&before, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        if (!right)
            larger = before > largest;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (right)
            larger = before > largest;
        printf("%d\n", larger);
    }
    MPI_Finalize();
    return 0;
}
