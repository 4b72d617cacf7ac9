/* Topologies on which the processes do not agree, and calls that do not fit them.
 *
 *   edges      rank 0 names an edge to rank 1, rank 1 names none from rank 0
 *   weights    rank 1 gives weights, rank 0 says that there are none
 *   graph      the processes pass different graphs
 *   oneway     a graph with the edge 0 -> 1 but not 1 -> 0: rank 0 expects a block of rank 1, which sends none
 *   none       a neighbourhood collective on a communicator without a topology
 *   cart       a question about a grid to a communicator with a graph
 *   fine       none of these */
/* explore: ranks=2 verdict=race-free args=fine */
/* explore: ranks=2 verdict=found class=collective-mismatch args=edges */
/* explore: ranks=2 verdict=found class=collective-mismatch args=weights says=weights */
/* explore: ranks=2 verdict=found class=collective-mismatch args=graph says=graphs */
/* explore: ranks=2 verdict=found class=collective-mismatch args=oneway */
/* explore: ranks=2 verdict=found class=invalid-argument args=none */
/* explore: ranks=2 verdict=found class=invalid-argument args=cart */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank, given[2] = {1, 2}, taken[2], dimensions;
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Comm ring, graph;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
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
