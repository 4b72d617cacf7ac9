/* explore: ranks=3 verdict=race-free */
/* explore: ranks=3 verdict=found class=race-output args=list */
/* A tool linked into the program that defines MPI functions of its own and calls PMPI_* in them. It counts, and rank 0 prints the
 * counts: they would be wrong if a call went past the tool, or came to it twice. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int sends, receives, reductions;

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm communicator) {
    sends++;
    return PMPI_Send(buffer, count, type, destination, tag, communicator);
}

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm communicator, MPI_Status *status) {
    receives++;
    return PMPI_Recv(buffer, count, type, source, tag, communicator, status);
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm communicator) {
    reductions++;
    return PMPI_Allreduce(from, to, count, type, op, communicator);
}

int main(int argc, char **argv) {
    int rank, ranks, value, sum = 0, mine[3], all[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < ranks; i++) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (argc > 1)
            printf("%d\n", value);
        sum += value;
    }
    mine[0] = sends, mine[1] = receives, mine[2] = reductions;
    MPI_Allreduce(mine, all, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (all[0] != ranks - 1 || all[1] != ranks - 1 || all[2] != 0 || reductions != 1)
        exit(4);
    if (rank == 0)
        printf("sum %d\n", sum);
    MPI_Finalize();
    return 0;
}
