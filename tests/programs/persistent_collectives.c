/* Every persistent collective (MPI-4.0 section 6.13), started twice on buffers that have changed in between, and with values that
 * follow from the ranks. All ranks make them in one order, and rank 1 starts them in another: their making is what is matched. (MPICH
 * 4.0 copies some data when they are made.) */
/* explore: ranks=3 verdict=race-free mpiexec=no */
/* explore: ranks=3 verdict=race-free buffering=none mpiexec=no */
#include <assert.h>
#include <mpi.h>
#include <string.h>

enum { SIZE = 3, KINDS = 17 };

static int rank, given[SIZE], taken[KINDS][SIZE];
static const int ones[SIZE] = {1, 1, 1}, places[SIZE] = {0, 1, 2}, bytes[SIZE] = {0, 4, 8};
static const MPI_Datatype types[SIZE] = {MPI_INT, MPI_INT, MPI_INT};

static void make_moving(MPI_Request request[]) {
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Barrier_init(world, info, &request[0]);
    MPI_Bcast_init(rank == 1 ? given : taken[1], SIZE, MPI_INT, 1, world, info, &request[1]);
    MPI_Gather_init(given, 1, MPI_INT, taken[2], 1, MPI_INT, 2, world, info, &request[2]);
    MPI_Gatherv_init(given, 1, MPI_INT, taken[3], ones, places, MPI_INT, 0, world, info, &request[3]);
    MPI_Scatter_init(given, 1, MPI_INT, taken[4], 1, MPI_INT, 1, world, info, &request[4]);
    MPI_Scatterv_init(given, ones, places, MPI_INT, taken[5], 1, MPI_INT, 2, world, info, &request[5]);
    MPI_Allgather_init(given, 1, MPI_INT, taken[6], 1, MPI_INT, world, info, &request[6]);
    MPI_Allgatherv_init(given, 1, MPI_INT, taken[7], ones, places, MPI_INT, world, info, &request[7]);
    MPI_Alltoall_init(given, 1, MPI_INT, taken[8], 1, MPI_INT, world, info, &request[8]);
    MPI_Alltoallv_init(given, ones, places, MPI_INT, taken[9], ones, places, MPI_INT, world, info, &request[9]);
    MPI_Alltoallw_init(given, ones, bytes, types, taken[10], ones, bytes, types, world, info, &request[10]);
}

static void make_computing(MPI_Request request[]) {
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Reduce_init(given, taken[11], SIZE, MPI_INT, MPI_SUM, 0, world, info, &request[11]);
    MPI_Allreduce_init(given, taken[12], SIZE, MPI_INT, MPI_MAX, world, info, &request[12]);
    MPI_Scan_init(given, taken[13], SIZE, MPI_INT, MPI_SUM, world, info, &request[13]);
    MPI_Exscan_init(given, taken[14], SIZE, MPI_INT, MPI_SUM, world, info, &request[14]);
    MPI_Reduce_scatter_init(given, taken[15], ones, MPI_INT, MPI_SUM, world, info, &request[15]);
    MPI_Reduce_scatter_block_init(given, taken[16], 1, MPI_INT, MPI_SUM, world, info, &request[16]);
}

/* Element i of rank r in a round. */
static int value(int round, int r, int i) { return 100 * round + 10 * r + i; }

static int sum_below(int round, int end, int i) {
    int sum = 0;
    for (int r = 0; r < end; r++)
        sum += value(round, r, i);
    return sum;
}

static void check(int round) {
    for (int i = 0; i < SIZE; i++) {
        assert(rank == 1 || taken[1][i] == value(round, 1, i));
        assert(rank != 2 || taken[2][i] == value(round, i, 0));
        assert(rank != 0 || taken[3][i] == value(round, i, 0));
        assert(taken[6][i] == value(round, i, 0) && taken[7][i] == value(round, i, 0));
        assert(taken[8][i] == value(round, i, rank) && taken[9][i] == value(round, i, rank));
        assert(taken[10][i] == value(round, i, rank));
        assert(rank != 0 || taken[11][i] == sum_below(round, SIZE, i));
        assert(taken[12][i] == value(round, 2, i));
        assert(taken[13][i] == sum_below(round, rank + 1, i));
        assert(rank == 0 || taken[14][i] == sum_below(round, rank, i));
    }
    assert(taken[4][0] == value(round, 1, rank) && taken[5][0] == value(round, 2, rank));
    assert(taken[15][0] == sum_below(round, SIZE, rank) && taken[16][0] == sum_below(round, SIZE, rank));
}

static void run(MPI_Request request[], int round) {
    for (int i = 0; i < SIZE; i++)
        given[i] = value(round, rank, i);
    memset(taken, 0, sizeof taken);
    if (rank == 1) {
        for (int i = KINDS - 1; i >= 0; i--)
            MPI_Start(&request[i]);
    } else {
        MPI_Startall(KINDS, request);
    }
    MPI_Waitall(KINDS, request, MPI_STATUSES_IGNORE);
    check(round);
}

int main(int argc, char **argv) {
    MPI_Request request[KINDS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    make_moving(request);
    make_computing(request);
    run(request, 1);
    run(request, 2);
    for (int i = 0; i < KINDS; i++)
        MPI_Request_free(&request[i]);
    MPI_Finalize();
    return 0;
}
