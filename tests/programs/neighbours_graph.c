/* Graph and distributed graph topologies: what was said is what is answered, on duplicates of the communicator too, and data
 * goes along the edges. The graph is the path 0-1-2; other processes get no communicator. The distributed graph is a ring
 * one way round with an edge from everybody to process 0 besides (so process ranks-1 has two edges to 0) and one from 0 to
 * itself. */
/* explore: ranks=4 verdict=race-free */
/* explore: ranks=3 verdict=race-free buffering=none */
/* explore: ranks=3 verdict=race-free buffering=infinite */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>

enum { MOST = 8 };

static int rank, ranks;

static void path(void) {
    const int index[] = {1, 3, 4}, edges[] = {1, 0, 2, 1};
    int nodes, total, got_index[3], got_edges[4], mapped, count, around[2], kind, values[2] = {-1, -1};
    MPI_Comm line, copy;
    MPI_Graph_map(MPI_COMM_WORLD, 3, index, edges, &mapped);
    assert(mapped == (rank < 3 ? rank : MPI_UNDEFINED));
    MPI_Graph_create(MPI_COMM_WORLD, 3, index, edges, 0, &line);
    assert((line == MPI_COMM_NULL) == (rank > 2));
    if (rank > 2)
        return;
    MPI_Comm_dup(line, &copy);
    MPI_Topo_test(copy, &kind);
    assert(kind == MPI_GRAPH);
    MPI_Graphdims_get(copy, &nodes, &total);
    assert(nodes == 3 && total == 4);
    MPI_Graph_get(copy, 3, 4, got_index, got_edges);
    for (int i = 0; i < 4; i++)
        assert(got_edges[i] == edges[i] && (i == 3 || got_index[i] == index[i]));
    MPI_Graph_neighbors_count(line, 1, &count);
    MPI_Graph_neighbors(line, 1, 2, around);
    assert(count == 2 && around[0] == 0 && around[1] == 2);
    int own = 10 + rank;
    MPI_Neighbor_allgather(&own, 1, MPI_INT, values, 1, MPI_INT, copy);
    assert(values[0] == (rank == 1 ? 10 : 11) && values[1] == (rank == 1 ? 12 : -1));
    MPI_Comm_free(&copy);
    MPI_Comm_free(&line);
}

/* The edges as process 0 sees them come from 1.. (to 0), from the last process (ring) and from itself. */
static int sources_of(int *from, int *weights) {
    int count = 0;
    weights[count] = 1, from[count++] = (rank + ranks - 1) % ranks;
    for (int i = 0; rank == 0 && i < ranks; i++)
        weights[count] = 2 + i, from[count++] = i;
    return count;
}

static void expect_gathered(MPI_Comm graph) {
    int from[MOST], weights[MOST], got[MOST] = {0}, count = sources_of(from, weights);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, graph);
    for (int i = 0; i < count; i++)
        assert(got[i] == from[i]);
}

static void ring_with_centre(void) {
    int from[MOST], from_weight[MOST], in = sources_of(from, from_weight);
    int to[2] = {(rank + 1) % ranks, 0}, to_weight[2] = {1, 2 + rank};
    MPI_Comm graph, copy;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, from, from_weight, 2, to, to_weight, MPI_INFO_NULL, 0, &graph);
    MPI_Comm_dup(graph, &copy);
    int got_in, got_out, weighted, kind, sources[MOST], source_weights[MOST], destinations[2], destination_weights[2];
    MPI_Topo_test(copy, &kind);
    MPI_Dist_graph_neighbors_count(copy, &got_in, &got_out, &weighted);
    assert(kind == MPI_DIST_GRAPH && got_in == in && got_out == 2 && weighted);
    MPI_Dist_graph_neighbors(copy, in, sources, source_weights, 2, destinations, destination_weights);
    for (int i = 0; i < in; i++)
        assert(sources[i] == from[i] && source_weights[i] == from_weight[i]);
    for (int i = 0; i < 2; i++)
        assert(destinations[i] == to[i] && destination_weights[i] == to_weight[i]);
    expect_gathered(graph);

    /* A block for each edge: 1 int along the ring, 2 to the centre. */
    int given[3] = {100 * rank, 100 * rank + 1, 100 * rank + 2}, counts[2] = {1, 2}, places[2] = {0, 1};
    int got[2 * MOST], got_counts[MOST], got_places[MOST];
    for (int i = 0; i < in; i++) {
        got_counts[i] = i == 0 ? 1 : 2;
        got_places[i] = 2 * i;
    }
    MPI_Request request;
    MPI_Ineighbor_alltoallv(given, counts, places, MPI_INT, got, got_counts, got_places, MPI_INT, copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    assert(got[0] == 100 * from[0]);
    for (int i = 1; i < in; i++)
        assert(got[2 * i] == 100 * from[i] + 1 && got[2 * i + 1] == 100 * from[i] + 2);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&graph);
}

/* All edges of a star named by process 1: outwards from 0. Process 0 has no sources and the others no destinations. */
static void star_named_by_one(void) {
    int source = 0, degree = ranks - 1, leaves[MOST], in, out, weighted, value = rank == 0 ? 42 : 7, got = -1;
    MPI_Comm star;
    for (int i = 1; i < ranks; i++)
        leaves[i - 1] = i;
    MPI_Dist_graph_create(MPI_COMM_WORLD, rank == 1, &source, &degree, leaves, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &star);
    MPI_Dist_graph_neighbors_count(star, &in, &out, &weighted);
    assert(in == (rank > 0) && out == (rank > 0 ? 0 : ranks - 1) && !weighted);
    MPI_Neighbor_allgather(&value, 1, MPI_INT, &got, 1, MPI_INT, star);
    assert(got == (rank > 0 ? 42 : -1));
    MPI_Comm_free(&star);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    path();
    ring_with_centre();
    star_named_by_one();
    MPI_Finalize();
    return 0;
}
