/* explore: ranks=3 verdict=race-free args=barrier-synchronous */
/* explore: ranks=3 verdict=race-free args=bcast-synchronous */
/* explore: ranks=3 verdict=race-free args=reduce-synchronous */
/* Does a collective order two messages? Rank 2 sends to rank 0, then ranks 1 and 2 enter the collective, then rank 1 sends to rank 0,
 * which takes both from anyone. poeg_drawing has the numbers of orders.
 *
 *     behind_collective COLLECTIVE-SEND [ROOT]
 *
 * One order, if rank 2 has waited until its message was received (synchronous, issend with its wait before), and rank 1 waits for rank
 * 2 in the collective: if all wait for all, if rank 2 is the root of a fan-out, or rank 1 that of a fan-in. Else two. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MPI_Comm pair;
static int root, mine = 1, given[2], got[2];

static void enter(const char *collective) {
    const int count[2] = {1, 1}, from[2] = {0, 1};
    MPI_Request request = MPI_REQUEST_NULL;
    if (strncmp(collective, "barrier", 7) == 0)
        MPI_Barrier(pair);
    else if (strncmp(collective, "ibarrier", 8) == 0)
        MPI_Ibarrier(pair, &request);
    else if (strncmp(collective, "bcast", 5) == 0)
        MPI_Bcast(got, 1, MPI_INT, root, pair);
    else if (strncmp(collective, "nothing", 7) == 0)
        MPI_Bcast(got, 0, MPI_INT, root, pair);
    else if (strncmp(collective, "scatter", 7) == 0)
        MPI_Scatter(given, 1, MPI_INT, got, 1, MPI_INT, root, pair);
    else if (strncmp(collective, "reduce", 6) == 0)
        MPI_Reduce(&mine, got, 1, MPI_INT, MPI_SUM, root, pair);
    else if (strncmp(collective, "gatherv", 7) == 0)
        MPI_Gatherv(&mine, 1, MPI_INT, got, count, from, MPI_INT, root, pair);
    else if (strncmp(collective, "allreduce", 9) == 0)
        MPI_Allreduce(&mine, got, 1, MPI_INT, MPI_SUM, pair);
    else if (strncmp(collective, "alltoall", 8) == 0)
        MPI_Alltoall(given, 1, MPI_INT, got, 1, MPI_INT, pair);
    else if (strncmp(collective, "scan", 4) == 0)
        MPI_Scan(&mine, got, 1, MPI_INT, MPI_SUM, pair);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Returns the request of a message that is waited for behind the collective. */
static MPI_Request send(const char *how) {
    static char room[sizeof mine + MPI_BSEND_OVERHEAD];
    MPI_Request request = MPI_REQUEST_NULL;
    if (strcmp(how, "synchronous") == 0)
        MPI_Ssend(&mine, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else if (strcmp(how, "standard") == 0)
        MPI_Send(&mine, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else if (strcmp(how, "buffered") == 0) {
        MPI_Buffer_attach(room, sizeof room);
        MPI_Bsend(&mine, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else
        MPI_Issend(&mine, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    if (strcmp(how, "before") == 0)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    return request;
}

static int receive(void) {
    int value;
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return value;
}

int main(int argc, char **argv) {
    int rank, size;
    void *room;
    const char *how = argc > 1 ? strchr(argv[1], '-') : NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &pair);
    root = argc > 2 ? atoi(argv[2]) - 1 : 0;
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 2)
        request = send(how + 1);
    if (rank > 0)
        enter(argv[1]);
    if (rank == 1)
        MPI_Send(&mine, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d\n", receive() + receive());
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 2 && strcmp(how + 1, "buffered") == 0)
        MPI_Buffer_detach(&room, &size);
    MPI_Comm_free(&pair);
    MPI_Finalize();
    return 0;
}
