/* A master in one group, workers in the other: a wildcard over an intercommunicator takes whichever worker's message, and its
 * status names that worker's rank in the workers' group. Whose comes first is a race if it is printed, none if only the sum is
 * (argument "sum"). */
/* explore: ranks=4 verdict=found class=race-output */
/* explore: ranks=4 verdict=race-free args=sum */
/* explore: ranks=3 verdict=race-free args=sum buffering=none */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, workers, sum = 0;
    (void)argv;
    MPI_Comm half, bridge;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0, 1, &bridge);
    if (rank == 0) {
        MPI_Comm_remote_size(bridge, &workers);
        for (int i = 0; i < workers; i++) {
            int value;
            MPI_Status status;
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, bridge, &status);
            assert(value == 10 * status.MPI_SOURCE && status.MPI_TAG == status.MPI_SOURCE);
            sum += value;
            if (argc == 1)
                printf("from %d\n", status.MPI_SOURCE);
        }
        printf("sum %d\n", sum);
    } else {
        int own, value;
        MPI_Comm_rank(half, &own);
        value = 10 * own;
        MPI_Send(&value, 1, MPI_INT, 0, own, bridge);
    }
    MPI_Comm_free(&bridge);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
