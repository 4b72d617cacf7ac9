/* Rank 0 stores, starts a send, stores again and starts another one, before it waits for either. Rank 1 loads what was stored
 * between the two after it has received the second one, and it is there: 2. In "early" it has received the first one only, so that the load
 * and the store are at the same time. */
/* explore: ranks=2 verdict=race-free args=second */
/* explore: ranks=2 verdict=race-free args=second buffering=none */
/* explore: ranks=2 verdict=found class=rma-conflict args=early */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void receive(int tag) { MPI_Recv(NULL, 0, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

int main(int argc, char **argv) {
    int rank, unit, *own, *first;
    MPI_Aint size;
    MPI_Win window;
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    int early = argc > 1 && strcmp(argv[1], "early") == 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window);
    MPI_Win_shared_query(window, 0, &size, &unit, &first);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        own[0] = 1;
        MPI_Isend(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[0]);
        own[1] = 2;
        MPI_Isend(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    } else {
        receive(0);
        if (!early)
            receive(1);
        printf("%d\n", first[1]);
        assert(early || first[1] == 2);
        if (early)
            receive(1);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
