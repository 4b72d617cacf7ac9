/* Persistent collectives beyond what they bring (MPI-4.0 section 6.13).
 *
 *   raced   making one need not wait for all: of two messages for rank 0 the second is sent when rank 1 has made it, and rank 0 makes it
 *           only when it has received the first
 *   type    the datatype is freed before the collective is started
 *   beside  a blocking collective whose buffer is that of a pending receive
 */
/* explore: ranks=3 verdict=found class=race-output args=raced mpiexec=no */
/* explore: ranks=3 verdict=race-free args=type */
/* explore: ranks=3 verdict=found class=buffer-in-use says=overlaps args=beside mpiexec=no */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank;
static const MPI_Comm world = MPI_COMM_WORLD;

static void receive_one(void) {
    int number;
    MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, world, MPI_STATUS_IGNORE);
    printf("%d\n", number);
}

static void race(void) {
    MPI_Request made, sent = MPI_REQUEST_NULL;
    if (rank == 0)
        receive_one();
    if (rank == 2)
        MPI_Isend(&rank, 1, MPI_INT, 0, 0, world, &sent);
    MPI_Barrier_init(world, MPI_INFO_NULL, &made);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    if (rank == 0)
        receive_one();
    if (rank == 1)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, world);
    MPI_Request_free(&made);
}

/* The second of two numbers. */
static void free_type(void) {
    int given[2] = {-1, rank}, taken[6] = {0};
    MPI_Datatype second;
    MPI_Request made;
    MPI_Type_create_indexed_block(1, 1, (int[]){1}, MPI_INT, &second);
    MPI_Type_commit(&second);
    MPI_Allgather_init(given, 1, second, taken, 1, MPI_INT, world, MPI_INFO_NULL, &made);
    MPI_Type_free(&second);
    for (int round = 0; round < 2; round++) {
        MPI_Start(&made);
        MPI_Wait(&made, MPI_STATUS_IGNORE);
        if (taken[0] != 0 || taken[1] != 1 || taken[2] != 2)
            MPI_Abort(world, 1);
        memset(taken, 0, sizeof taken);
    }
    MPI_Request_free(&made);
}

static void broadcast_beside(void) {
    int number = rank, next = (rank + 1) % 3, before = (rank + 2) % 3;
    MPI_Request request;
    MPI_Irecv(&number, 1, MPI_INT, before, 0, world, &request);
    MPI_Bcast(&number, 1, MPI_INT, 0, world);
    MPI_Send(&rank, 1, MPI_INT, next, 0, world);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "type";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    if (strcmp(what, "raced") == 0)
        race();
    else if (strcmp(what, "beside") == 0)
        broadcast_beside();
    else
        free_type();
    MPI_Finalize();
    return 0;
}
