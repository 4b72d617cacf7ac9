/* Rank 0 frees the request of a receive that is active, which then goes on (MPI-3.1 section 3.7.3). If a message comes for it, it
 * is over with that. If none does it never is, and a process must have completed what it has begun when it calls MPI_Finalize
 * (section 8.7). */
/* explore: ranks=2 verdict=race-free args=comes */
/* explore: ranks=2 verdict=race-free args=started */
/* explore: ranks=3 verdict=race-free args=anyone */
/* explore: ranks=2 verdict=found class=request-leak args=never mpiexec=no */
/* explore: ranks=2 verdict=found class=request-leak args=restarted mpiexec=no */
/* Of two messages and two receives from anyone, one freed: both come. With a third receive, one does not, whichever it is. */
/* explore: ranks=3 verdict=found class=request-leak args=one_more mpiexec=no */
#include <mpi.h>
#include <string.h>

static int value[4];

static void receive(int at, int from) {
    MPI_Request request;
    MPI_Irecv(&value[at], 1, MPI_INT, from, 0, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
}

static void start(int times) {
    MPI_Request request;
    MPI_Recv_init(&value[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    for (int i = 1; i < times; i++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Start(&request);
    MPI_Request_free(&request);
}

int main(int argc, char **argv) {
    int rank, size;
    const char *what = argc > 1 ? argv[1] : "comes";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0 && strcmp(what, "never") != 0)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0 && strstr(what, "started") != NULL)
        start(strcmp(what, "started") == 0 ? 1 : 2);
    else if (rank == 0)
        receive(0, size > 2 ? MPI_ANY_SOURCE : 1);
    if (rank == 0 && size > 2)
        MPI_Recv(&value[1], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0 && strcmp(what, "one_more") == 0)
        receive(2, MPI_ANY_SOURCE);
    MPI_Finalize();
}
