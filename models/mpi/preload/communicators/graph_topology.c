/* Graph topologies, which every process knows as a whole, and distributed graphs, of which each process knows its own edges
 * (MPI-3.1 sections 7.5.3, 7.5.4 and 7.5.5). `reorder` is only a permission: processes keep their order, as with MPICH. */
#include "models/mpi/functions.h"
#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/collectives/collective_data.h"
#include "models/mpi/preload/communicators/topology.h"
#include "models/mpi/preload/rank.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The only data of libmpich's that is named here. Programs that the application starts before MPI_Init have no libmpich, but have
 * this library preloaded, and must be able to run. */
#pragma weak MPI_UNWEIGHTED
#pragma weak MPI_WEIGHTS_EMPTY

/* --- graphs ------------------------------------------------------------------------------------------------------------ */

static int first_edge(const int *index, int node) { return node > 0 ? index[node - 1] : 0; }

struct neighbours graph_neighbours(const struct topology *topology, int node) {
    int first = first_edge(topology->index, node);
    struct neighbours view = {.count = topology->index[node] - first, .rank = topology->edge + first};
    return neighbours_copy(&view);
}

static int check_graph(const struct caller *caller, const struct communicator *communicator, int nodes, const int *index,
                       const int *edge) {
    if (nodes < 0 || nodes > communicator->size)
        return reject(caller, communicator->handle, MPI_ERR_ARG, "a graph of %d nodes and a communicator of size %d", nodes,
                      communicator->size);
    for (int i = 0; i < nodes; i++) {
        if (index[i] < first_edge(index, i))
            return reject(caller, communicator->handle, MPI_ERR_ARG, "an index that falls from %d to %d", first_edge(index, i),
                          index[i]);
    }
    for (int i = 0; nodes > 0 && i < index[nodes - 1]; i++) {
        if (edge[i] < 0 || edge[i] >= nodes)
            return reject(caller, communicator->handle, MPI_ERR_ARG, "an edge to node %d of %d", edge[i], nodes);
    }
    return MPI_SUCCESS;
}

static struct topology *make_graph(int nodes, const int *index, const int *edge) {
    struct topology view = {.kind = MPI_GRAPH, .nodes = nodes, .index = (int *)index, .edge = (int *)edge};
    return topology_copy(&view);
}

/* The neighbours of each node. */
static struct meaning tell_graph(int nodes, const int *index, const int *edge) {
    struct meaning graph = {0};
    for (int node = 0, at = 0; node < nodes; node++) {
        meaning_add(&graph, "%s%d:", node > 0 ? "; " : "", node);
        for (; at < index[node]; at++)
            meaning_add(&graph, " %d", edge[at]);
    }
    return graph;
}

EXPORT(Graph_create)
int MPI_Graph_create(MPI_Comm handle, int nodes, const int index[], const int edges[], int reorder, MPI_Comm *result) {
    ENTER(Graph_create, handle, nodes, index, edges, reorder, result);
    *result = MPI_COMM_NULL; /* also where it fails, as with MPICH */
    struct communicator *parent;
    int error = check_communicator(caller, handle, &parent);
    if (error == MPI_SUCCESS)
        error = check_intracommunicator(caller, parent);
    if (error == MPI_SUCCESS)
        error = check_graph(caller, parent, nodes, index, edges);
    if (error != MPI_SUCCESS)
        return error;
    struct topology *graph = make_graph(nodes, index, edges);
    struct collective collective = collective_of_all(caller, parent);
    const struct meaning told = tell_graph(nodes, index, edges);
    collective.agreement = collective_agreement_on(topology_shape(graph), &told);
    collective_enter(&collective, 0);
    collective_leave(&collective);
    communicator_count_creation(parent);
    if (parent->rank >= nodes) {
        topology_free(graph);
        return MPI_SUCCESS;
    }
    *result = communicator_make_carrier(parent);
    struct members members = {.world = parent->world, .size = nodes};
    communicator_set_topology(communicator_create(parent, *result, &members, topology_shape(graph)), graph);
    return MPI_SUCCESS;
}

EXPORT(Graph_map)
int MPI_Graph_map(MPI_Comm handle, int nodes, const int index[], const int edges[], int *rank) {
    ENTER(Graph_map, handle, nodes, index, edges, rank);
    struct communicator *communicator;
    int error = check_communicator(caller, handle, &communicator);
    if (error == MPI_SUCCESS)
        error = check_graph(caller, communicator, nodes, index, edges);
    if (error == MPI_SUCCESS)
        *rank = communicator->rank < nodes ? communicator->rank : MPI_UNDEFINED;
    return error;
}

EXPORT(Graphdims_get)
int MPI_Graphdims_get(MPI_Comm handle, int *nodes, int *edges) {
    ENTER(Graphdims_get, handle, nodes, edges);
    struct communicator *communicator;
    int error = check_topology(caller, handle, MPI_GRAPH, &communicator);
    if (error != MPI_SUCCESS)
        return error;
    *nodes = communicator->topology->nodes;
    *edges = communicator->topology->index[*nodes - 1];
    return MPI_SUCCESS;
}

/* As much as there is room for. */
static void copy_some(int *to, int room, const int *from, int count) {
    for (int i = 0; i < room && i < count; i++)
        to[i] = from[i];
}

EXPORT(Graph_get)
int MPI_Graph_get(MPI_Comm handle, int index_room, int edge_room, int index[], int edges[]) {
    ENTER(Graph_get, handle, index_room, edge_room, index, edges);
    struct communicator *communicator;
    int error = check_topology(caller, handle, MPI_GRAPH, &communicator);
    if (error == MPI_SUCCESS)
        error = check_count(caller, handle, index_room < edge_room ? index_room : edge_room);
    if (error != MPI_SUCCESS)
        return error;
    const struct topology *graph = communicator->topology;
    copy_some(index, index_room, graph->index, graph->nodes);
    copy_some(edges, edge_room, graph->edge, graph->index[graph->nodes - 1]);
    return MPI_SUCCESS;
}

EXPORT(Graph_neighbors_count)
int MPI_Graph_neighbors_count(MPI_Comm handle, int rank, int *count) {
    ENTER(Graph_neighbors_count, handle, rank, count);
    struct communicator *communicator;
    int error = check_topology(caller, handle, MPI_GRAPH, &communicator);
    if (error == MPI_SUCCESS)
        error = check_member(caller, communicator, rank);
    if (error == MPI_SUCCESS)
        *count = communicator->topology->index[rank] - first_edge(communicator->topology->index, rank);
    return error;
}

EXPORT(Graph_neighbors)
int MPI_Graph_neighbors(MPI_Comm handle, int rank, int room, int neighbors[]) {
    ENTER(Graph_neighbors, handle, rank, room, neighbors);
    struct communicator *communicator;
    int error = check_topology(caller, handle, MPI_GRAPH, &communicator);
    if (error == MPI_SUCCESS)
        error = check_member(caller, communicator, rank);
    if (error == MPI_SUCCESS)
        error = check_count(caller, handle, room);
    if (error != MPI_SUCCESS)
        return error;
    struct neighbours all = graph_neighbours(communicator->topology, rank);
    copy_some(neighbors, room, all.rank, all.count);
    neighbours_free(&all);
    return MPI_SUCCESS;
}

/* --- distributed graphs ------------------------------------------------------------------------------------------------ */

struct edge {
    int32_t source, destination, weight;
};

/* The edges that one process names. An edge of an adjacency specification is named by either of its ends. */
struct edges {
    int count;
    struct edge *edge;
};

static int check_edge(const struct caller *caller, const struct communicator *communicator, const struct edge *edge) {
    int error = check_member(caller, communicator, edge->source);
    if (error == MPI_SUCCESS)
        error = check_member(caller, communicator, edge->destination);
    if (error == MPI_SUCCESS && edge->weight < 0)
        return reject(caller, communicator->handle, MPI_ERR_ARG, "a negative weight (%d)", edge->weight);
    return error;
}

static bool are_weights(const int *weights) { return weights != MPI_UNWEIGHTED; }

static int weight_of(const int *weights, int i) {
    return are_weights(weights) && weights != MPI_WEIGHTS_EMPTY ? weights[i] : 1;
}

static void add_neighbour(struct neighbours *neighbours, int rank, int weight) {
    size_t size = ((size_t)neighbours->count + 1) * sizeof(int);
    neighbours->rank = realloc(neighbours->rank, size);
    neighbours->weight = realloc(neighbours->weight, size);
    neighbours->rank[neighbours->count] = rank;
    neighbours->weight[neighbours->count++] = weight;
}

/* All members say their edges and hear those of all others. `take` is given each member's, in order. */
static MPI_Comm create(struct collective *collective, const struct edges *own, struct topology *graph,
                       void (*take)(const struct collective *collective, struct topology *graph, int member,
                                    const struct edge *edge, int count)) {
    struct communicator *parent = collective->communicator;
    struct meaning weights = {0};
    meaning_add(&weights, graph->weighted ? "weights" : "none");
    collective->agreement = collective_agreement_on(graph->weighted, &weights);
    collective_enter(collective, 1);
    size_t size = (size_t)own->count * sizeof *own->edge;
    memcpy(rank_add_part(size), own->edge, size);
    struct collective_answer answer = collective_leave(collective);
    communicator_count_creation(parent);
    for (int member = 0; member < parent->size; member++) {
        struct collective_part part = collective_part(&answer, member);
        graph->shape = XXH3_64bits_withSeed(part.bytes, part.size, graph->shape);
        take(collective, graph, member, part.bytes, (int)(part.size / sizeof *own->edge));
    }
    MPI_Comm result = communicator_make_carrier(parent);
    struct members members = communicator_members(parent);
    communicator_set_topology(communicator_create(parent, result, &members, topology_shape(graph)), graph);
    return result;
}

/* Any process may name any edge. The order of a process's neighbours is open: here by the rank of who named the edge. */
static void take_named(const struct collective *collective, struct topology *graph, int member, const struct edge *edge,
                       int count) {
    (void)member;
    int rank = collective->communicator->rank;
    for (int i = 0; i < count; i++) {
        if (edge[i].destination == rank)
            add_neighbour(&graph->in, edge[i].source, edge[i].weight);
        if (edge[i].source == rank)
            add_neighbour(&graph->out, edge[i].destination, edge[i].weight);
    }
}

static int list_named(const struct caller *caller, const struct communicator *communicator, int n, const int sources[],
                      const int degrees[], const int destinations[], const int weights[], struct edges *edges) {
    int total = 0;
    for (int i = 0; i < n; i++) {
        if (degrees[i] < 0)
            return reject(caller, communicator->handle, MPI_ERR_ARG, "a negative degree (%d)", degrees[i]);
        total += degrees[i];
    }
    edges->edge = malloc(((size_t)total + 1) * sizeof *edges->edge);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < degrees[i]; k++) {
            struct edge *edge = &edges->edge[edges->count];
            *edge = (struct edge){sources[i], destinations[edges->count], weight_of(weights, edges->count)};
            edges->count++;
            int error = check_edge(caller, communicator, edge);
            if (error != MPI_SUCCESS)
                return error;
        }
    }
    return MPI_SUCCESS;
}

static int check_parent(const struct caller *caller, MPI_Comm handle, MPI_Info info, struct communicator **parent) {
    int error = check_communicator(caller, handle, parent);
    if (error == MPI_SUCCESS)
        error = check_intracommunicator(caller, *parent);
    return error == MPI_SUCCESS ? check_object(caller, OBJECT_INFO, info) : error;
}

static struct topology *make_distributed(bool weighted) {
    struct topology *graph = calloc(1, sizeof *graph);
    graph->kind = MPI_DIST_GRAPH;
    graph->weighted = weighted;
    return graph;
}

EXPORT(Dist_graph_create)
int MPI_Dist_graph_create(MPI_Comm handle, int n, const int sources[], const int degrees[], const int destinations[],
                          const int weights[], MPI_Info info, int reorder, MPI_Comm *result) {
    ENTER(Dist_graph_create, handle, n, sources, degrees, destinations, weights, info, reorder, result);
    struct collective collective = collective_of_all(caller, NULL);
    struct edges edges = {0};
    int error = check_parent(caller, handle, info, &collective.communicator);
    if (error == MPI_SUCCESS && n < 0)
        return reject(caller, handle, MPI_ERR_ARG, "a negative number of source nodes (%d)", n);
    if (error == MPI_SUCCESS)
        error = list_named(caller, collective.communicator, n, sources, degrees, destinations, weights, &edges);
    if (error == MPI_SUCCESS)
        *result = create(&collective, &edges, make_distributed(are_weights(weights)), take_named);
    free(edges.edge);
    return error;
}

static int edges_between(const struct edge *edge, int count, int source, int destination) {
    int found = 0;
    for (int i = 0; i < count; i++)
        found += edge[i].source == source && edge[i].destination == destination;
    return found;
}

static int occurrences(const struct neighbours *neighbours, int rank) {
    int found = 0;
    for (int i = 0; i < neighbours->count; i++)
        found += neighbours->rank[i] == rank;
    return found;
}

/* Either end of an edge must have named it (MPI-3.1 section 7.5.4). What a member names are its edges in, then its edges out;
 * one to itself is among them twice. */
static void check_adjacent(const struct collective *collective, struct topology *graph, int member, const struct edge *edge,
                           int count) {
    int rank = collective->communicator->rank;
    int in = occurrences(&graph->in, member);
    int out = occurrences(&graph->out, member);
    bool agree = member == rank
                     ? in == out
                     : edges_between(edge, count, member, rank) == in && edges_between(edge, count, rank, member) == out;
    if (!agree)
        collective_mismatch(collective, collective->communicator->world[member],
                            "%s: ranks %d and %d do not name the same edges between them",
                            function_name(collective->caller.function), rank_number(), collective->communicator->world[member]);
}

EXPORT(Dist_graph_create_adjacent)
int MPI_Dist_graph_create_adjacent(MPI_Comm handle, int in_degree, const int sources[], const int source_weights[],
                                   int out_degree, const int destinations[], const int destination_weights[], MPI_Info info,
                                   int reorder, MPI_Comm *result) {
    ENTER(Dist_graph_create_adjacent, handle, in_degree, sources, source_weights, out_degree, destinations, destination_weights,
          info, reorder, result);
    struct collective collective = collective_of_all(caller, NULL);
    int error = check_parent(caller, handle, info, &collective.communicator);
    if (error == MPI_SUCCESS && (in_degree < 0 || out_degree < 0))
        return reject(caller, handle, MPI_ERR_ARG, "a negative degree (%d)", in_degree < 0 ? in_degree : out_degree);
    if (error != MPI_SUCCESS)
        return error;
    struct topology *graph = make_distributed(are_weights(source_weights));
    struct edges edges = {.edge = malloc(((size_t)in_degree + (size_t)out_degree + 1) * sizeof(struct edge))};
    int rank = collective.communicator->rank;
    for (int i = 0; i < in_degree; i++)
        edges.edge[edges.count++] = (struct edge){sources[i], rank, weight_of(source_weights, i)};
    for (int i = 0; i < out_degree; i++)
        edges.edge[edges.count++] = (struct edge){rank, destinations[i], weight_of(destination_weights, i)};
    for (int i = 0; i < edges.count && error == MPI_SUCCESS; i++)
        error = check_edge(caller, collective.communicator, &edges.edge[i]);
    for (int i = 0; i < in_degree; i++)
        add_neighbour(&graph->in, sources[i], weight_of(source_weights, i));
    for (int i = 0; i < out_degree; i++)
        add_neighbour(&graph->out, destinations[i], weight_of(destination_weights, i));
    if (error == MPI_SUCCESS)
        *result = create(&collective, &edges, graph, check_adjacent);
    else
        topology_free(graph);
    free(edges.edge);
    return error;
}

EXPORT(Dist_graph_neighbors_count)
int MPI_Dist_graph_neighbors_count(MPI_Comm handle, int *in_degree, int *out_degree, int *weighted) {
    ENTER(Dist_graph_neighbors_count, handle, in_degree, out_degree, weighted);
    struct communicator *communicator;
    int error = check_topology(caller, handle, MPI_DIST_GRAPH, &communicator);
    if (error != MPI_SUCCESS)
        return error;
    *in_degree = communicator->topology->in.count;
    *out_degree = communicator->topology->out.count;
    *weighted = communicator->topology->weighted;
    return MPI_SUCCESS;
}

static int give_neighbours(const struct caller *caller, MPI_Comm handle, const struct neighbours *neighbours, bool weighted,
                           int room, int *ranks, int *weights) {
    if (room < 0)
        return reject(caller, handle, MPI_ERR_ARG, "a negative number of neighbours (%d)", room);
    copy_some(ranks, room, neighbours->rank, neighbours->count);
    if (weighted && are_weights(weights) && weights != MPI_WEIGHTS_EMPTY)
        copy_some(weights, room, neighbours->weight, neighbours->count);
    return MPI_SUCCESS;
}

EXPORT(Dist_graph_neighbors)
int MPI_Dist_graph_neighbors(MPI_Comm handle, int in_room, int sources[], int source_weights[], int out_room,
                             int destinations[], int destination_weights[]) {
    ENTER(Dist_graph_neighbors, handle, in_room, sources, source_weights, out_room, destinations, destination_weights);
    struct communicator *communicator;
    int error = check_topology(caller, handle, MPI_DIST_GRAPH, &communicator);
    if (error != MPI_SUCCESS)
        return error;
    const struct topology *graph = communicator->topology;
    error = give_neighbours(caller, handle, &graph->in, graph->weighted, in_room, sources, source_weights);
    if (error == MPI_SUCCESS)
        error = give_neighbours(caller, handle, &graph->out, graph->weighted, out_room, destinations, destination_weights);
    return error;
}
