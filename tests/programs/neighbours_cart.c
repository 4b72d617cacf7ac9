/* Neighbourhood collectives on grids, blocking and not. Process r sends 100*r + e along edge e; edges 2d and 2d+1 lead down and
 * up in dimension d. What comes along edge e was sent along the other edge of that dimension; beyond the border of a grid that
 * is not periodic there is nobody and the buffer stays as it was. In a periodic dimension two wide both neighbours are one
 * process: then blocks of one size are crossed, as in any other periodic dimension, but those of the v- and w-variants come in
 * the order in which they were sent (MPICH 4.0; by the standard it is open). */
/* explore: ranks=4 verdict=race-free */
/* explore: ranks=3 verdict=race-free buffering=none */
/* explore: ranks=2 verdict=race-free buffering=infinite */
/* explore: ranks=6 verdict=race-free buffering=none */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>

enum { EDGES = 4 };

static int neighbour[EDGES], width[2], rank;
static MPI_Comm grid;

static void begin(int *given, int *taken) {
    for (int e = 0; e < EDGES; e++) {
        given[e] = 100 * rank + e;
        taken[e] = -1;
    }
}

static void check(const int *taken, int in_order) {
    for (int e = 0; e < EDGES; e++) {
        int twice = width[e / 2] <= 2 && neighbour[e] == neighbour[e ^ 1];
        int expected = 100 * neighbour[e] + (twice && in_order ? e : e ^ 1);
        assert(taken[e] == (neighbour[e] == MPI_PROC_NULL ? -1 : expected));
    }
}

static void gather(void) {
    int own[2] = {rank, -rank}, taken[2 * EDGES], counts[EDGES], places[EDGES];
    MPI_Request request;
    for (int e = 0; e < EDGES; e++) {
        counts[e] = 2;
        places[e] = 2 * (EDGES - 1 - e);
    }
    for (int way = 0; way < 4; way++) {
        for (int i = 0; i < 2 * EDGES; i++)
            taken[i] = -7;
        if (way == 0)
            MPI_Neighbor_allgather(own, 2, MPI_INT, taken, 2, MPI_INT, grid);
        else if (way == 1)
            MPI_Ineighbor_allgather(own, 2, MPI_INT, taken, 2, MPI_INT, grid, &request);
        else if (way == 2)
            MPI_Neighbor_allgatherv(own, 2, MPI_INT, taken, counts, places, MPI_INT, grid);
        else
            MPI_Ineighbor_allgatherv(own, 2, MPI_INT, taken, counts, places, MPI_INT, grid, &request);
        if (way % 2 == 1)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int e = 0; e < EDGES; e++) {
            const int *got = &taken[way < 2 ? 2 * e : places[e]];
            int known = neighbour[e] != MPI_PROC_NULL;
            assert(got[0] == (known ? neighbour[e] : -7) && got[1] == (known ? -neighbour[e] : -7));
        }
    }
}

static void everybody(void) {
    int given[EDGES], taken[EDGES], ones[EDGES], places[EDGES];
    MPI_Aint offsets[EDGES];
    MPI_Datatype ints[EDGES];
    MPI_Request request[3];
    for (int e = 0; e < EDGES; e++) {
        ones[e] = 1;
        places[e] = e;
        offsets[e] = (MPI_Aint)sizeof(int) * e;
        ints[e] = MPI_INT;
    }
    begin(given, taken);
    MPI_Neighbor_alltoall(given, 1, MPI_INT, taken, 1, MPI_INT, grid);
    check(taken, 0);
    begin(given, taken);
    MPI_Neighbor_alltoallv(given, ones, places, MPI_INT, taken, ones, places, MPI_INT, grid);
    check(taken, 1);
    begin(given, taken);
    MPI_Neighbor_alltoallw(given, ones, offsets, ints, taken, ones, offsets, ints, grid);
    check(taken, 1);
    int equal[EDGES], varying[EDGES], typed[EDGES];
    begin(given, equal);
    begin(given, varying);
    begin(given, typed);
    MPI_Ineighbor_alltoall(given, 1, MPI_INT, equal, 1, MPI_INT, grid, &request[0]);
    MPI_Ineighbor_alltoallv(given, ones, places, MPI_INT, varying, ones, places, MPI_INT, grid, &request[1]);
    MPI_Ineighbor_alltoallw(given, ones, offsets, ints, typed, ones, offsets, ints, grid, &request[2]);
    MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
    check(equal, 0);
    check(varying, 1);
    check(typed, 1);
}

/* A grid of `rows` x `columns` processes. */
static void on_grid(int rows, int columns, int periodic_rows, int periodic_columns) {
    int sizes[] = {rows, columns}, periods[] = {periodic_rows, periodic_columns};
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &grid);
    if (grid == MPI_COMM_NULL)
        return;
    MPI_Comm_rank(grid, &rank);
    for (int d = 0; d < 2; d++) {
        width[d] = sizes[d];
        MPI_Cart_shift(grid, d, 1, &neighbour[2 * d], &neighbour[2 * d + 1]);
    }
    gather();
    everybody();
    MPI_Comm_free(&grid);
}

int main(int argc, char **argv) {
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    on_grid(ranks, 1, 0, 0);
    on_grid(ranks, 1, 1, 0);
    on_grid(2, ranks / 2, 1, 1);
    on_grid(1, ranks, 0, 1);
    MPI_Finalize();
    return 0;
}
