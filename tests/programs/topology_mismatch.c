/* Topologies on which the processes do not agree, and calls that do not fit them.
 *
 *   edges      rank 0 names an edge to rank 1, rank 1 names none from rank 0
 *   weights    rank 1 gives weights, rank 0 says that there are none
 *   graph      the processes pass different graphs
 *   oneway     a graph with the edge 0 -> 1 but not 1 -> 0: rank 0 expects a block of rank 1, which sends none
 *   self       rank 1 names an edge from itself, but none to itself
 *   periods    the processes pass grids of one size, periodic or not
 *   outside    a place in a grid that is not there, in a dimension that is not periodic
 *   room       who has room for one neighbour of two gets the first (MPI-3.1 section 7.5.5), though MPICH does not have it so
 *   none       a neighbourhood collective on a communicator without a topology
 *   cart       a question about a grid to a communicator with a graph
 *   fine       none of these */
/* explore: ranks=2 verdict=race-free args=fine */
/* explore: ranks=2 verdict=found class=collective-mismatch args=edges */
/* explore: ranks=2 verdict=found class=collective-mismatch args=weights says=none */
/* explore: ranks=2 verdict=found class=collective-mismatch args=graph says=1: */
/* explore: ranks=2 verdict=found class=collective-mismatch args=oneway */
/* explore: ranks=2 verdict=found class=collective-mismatch args=self says=edges */
/* explore: ranks=2 verdict=found class=collective-mismatch args=periods says=(periodic) */
/* explore: ranks=2 verdict=found class=invalid-argument args=outside says=dimension */
/* explore: ranks=2 verdict=race-free args=room mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument args=none */
/* explore: ranks=2 verdict=found class=invalid-argument args=cart */
#include <mpi.h>
#include <string.h>

static void name_self(int rank) {
    MPI_Comm loop;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank, &rank, MPI_UNWEIGHTED, 0, &rank, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &loop);
    MPI_Comm_free(&loop);
}

static void ask_for_one(void) {
    const int both[] = {0, 1};
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    MPI_Comm all;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, both, MPI_UNWEIGHTED, 2, both, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &all);
    MPI_Dist_graph_neighbors(all, 1, in, MPI_UNWEIGHTED, 1, out, MPI_UNWEIGHTED);
    if (in[0] != 0 || in[1] != -1 || out[0] != 0 || out[1] != -1)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_free(&all);
}

static void make_grid(int periodic, int coordinate) {
    const int size = 2;
    int found;
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &grid);
    MPI_Cart_rank(grid, &coordinate, &found);
    MPI_Comm_free(&grid);
}

int main(int argc, char **argv) {
    int rank, given[2] = {1, 2}, taken[2], dimensions;
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Comm ring, graph;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(what, "self") == 0)
        name_self(rank);
    if (strcmp(what, "room") == 0)
        ask_for_one();
    if (strcmp(what, "periods") == 0)
        make_grid(rank, 0);
    if (strcmp(what, "outside") == 0)
        make_grid(0, -1);
    int other = 1 - rank, weight = 3;
    int sees = !(strcmp(what, "edges") == 0 && rank == 1), weighted = strcmp(what, "weights") == 0 && rank == 1;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, sees, &other, weighted ? &weight : MPI_UNWEIGHTED, 1, &other,
                                   weighted ? &weight : MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
    MPI_Neighbor_alltoall(given, 1, MPI_INT, taken, 1, MPI_INT, strcmp(what, "none") == 0 ? MPI_COMM_WORLD : ring);
    int index[] = {1, 2}, edges[] = {1, 0};
    if (strcmp(what, "graph") == 0 && rank == 1)
        edges[1] = 1;
    if (strcmp(what, "oneway") == 0)
        index[1] = 1;
    MPI_Graph_create(MPI_COMM_WORLD, 2, index, edges, 0, &graph);
    MPI_Neighbor_alltoall(given, 1, MPI_INT, taken, 1, MPI_INT, graph);
    if (strcmp(what, "cart") == 0)
        MPI_Cartdim_get(graph, &dimensions);
    MPI_Comm_free(&graph);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
