/* MPI_IN_PLACE and zero counts in nonblocking collectives, and completion by every kind of wait and test together with
 * point-to-point requests; results against values computed by hand. */
/* explore: ranks=3 verdict=race-free buffering=none */
/* explore: ranks=2 verdict=race-free */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>

enum { MOST = 4 };

static int rank, ranks;

static void in_place(void) {
    MPI_Request request[7];
    int n = 0, sum = rank + 1, prefix = rank + 1, all[MOST], gathered[MOST], scattered[MOST], turned[MOST], parts[MOST];
    for (int i = 0; i < ranks; i++) {
        all[i] = i == rank ? 10 + i : -1;
        gathered[i] = 20 + i;
        scattered[i] = 30 + i;
        turned[i] = 100 * rank + i;
        parts[i] = rank + i;
    }
    int nothing = 5, mine = -1;
    MPI_Iallreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[n++]);
    MPI_Iscan(MPI_IN_PLACE, &prefix, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[n++]);
    MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD, &request[n++]);
    if (rank == 0) {
        MPI_Igather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, gathered, 1, MPI_INT, 0, MPI_COMM_WORLD, &request[n++]);
        MPI_Iscatter(scattered, 1, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD, &request[n++]);
    } else {
        MPI_Igather(&gathered[rank], 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD, &request[n++]);
        MPI_Iscatter(NULL, 0, MPI_DATATYPE_NULL, &mine, 1, MPI_INT, 0, MPI_COMM_WORLD, &request[n++]);
    }
    MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, turned, 1, MPI_INT, MPI_COMM_WORLD, &request[n++]);
    MPI_Ibcast(&nothing, 0, MPI_INT, 0, MPI_COMM_WORLD, &request[n++]);
    MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
    MPI_Request last;
    MPI_Ireduce_scatter_block(MPI_IN_PLACE, parts, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &last);
    MPI_Wait(&last, MPI_STATUS_IGNORE);
    assert(sum == ranks * (ranks + 1) / 2 && prefix == (rank + 1) * (rank + 2) / 2);
    for (int i = 0; i < ranks; i++)
        assert(all[i] == 10 + i && (rank != 0 || gathered[i] == 20 + i) && turned[i] == 100 * i + rank);
    assert(rank == 0 || mine == 30 + rank);
    assert(nothing == 5 && parts[0] == ranks * (ranks - 1) / 2 + ranks * rank);
}

/* A ring of messages and a reduction, all in one list; whatever the order in which they are reported, each has its data. */
static void with_messages(void) {
    MPI_Request request[3];
    int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks, received = -1, largest = -1, done[3] = {0};
    MPI_Irecv(&received, 1, MPI_INT, previous, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Iallreduce(&rank, &largest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request[1]);
    MPI_Issend(&rank, 1, MPI_INT, next, 0, MPI_COMM_WORLD, &request[2]);
    for (int left = 3; left > 0; left--) {
        int index;
        MPI_Status status;
        MPI_Waitany(3, request, &index, &status);
        assert(index >= 0 && index < 3 && !done[index]);
        done[index] = 1;
        assert(index != 0 || (received == previous && status.MPI_SOURCE == previous));
        assert(index != 1 || largest == ranks - 1);
    }
    int flag;
    MPI_Request barrier;
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    MPI_Test(&barrier, &flag, MPI_STATUS_IGNORE);
    if (!flag)
        MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    assert(barrier == MPI_REQUEST_NULL);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    in_place();
    with_messages();
    if (rank == 0)
        printf("all right\n");
    MPI_Finalize();
    return 0;
}
