/* Two messages of one rank to one wildcard receiver keep their order (thesis figure 5.18c), also when only the second fits the
 * first receive's tag. */
/* explore: ranks=2 verdict=race-free */
/* explore: ranks=2 verdict=race-free buffering=infinite */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        int value[3];
        MPI_Request request[3];
        MPI_Irecv(&value[0], 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(&value[1], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request[1]);
        MPI_Irecv(&value[2], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request[2]);
        MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
        assert(value[0] == 20 && value[1] == 10 && value[2] == 30);
        printf("%d %d %d\n", value[0], value[1], value[2]);
    } else if (rank == 1) {
        int value[3] = {10, 20, 30};
        MPI_Request request[3];
        for (int i = 0; i < 3; i++)
            MPI_Isend(&value[i], 1, MPI_INT, 0, i + 1, MPI_COMM_WORLD, &request[i]);
        MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
