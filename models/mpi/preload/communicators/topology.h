/* Topologies of communicators: Cartesian grids (topology.c), graphs and distributed graphs (graph_topology.c). The real MPICH
 * cannot carry them: its communicators have one process. */
#ifndef MODELS_MPI_PRELOAD_TOPOLOGY_H
#define MODELS_MPI_PRELOAD_TOPOLOGY_H

#include "models/mpi/preload/caller.h"
#include "models/mpi/preload/communicators/communicators.h"

/* A list of ranks, with a weight each if the topology has them. */
struct neighbours {
    int count;
    int *rank; /* owned, as is `weight` */
    int *weight;
};

struct dimension {
    int size;
    int periodic; /* 0 or 1 */
};

struct topology {
    int kind; /* MPI_CART, MPI_GRAPH or MPI_DIST_GRAPH */
    /* Grid. Ranks are in row-major order: the last dimension varies fastest. */
    int dimensions;
    struct dimension *dimension;
    /* Graph: node i's neighbours are edge[index[i - 1]..index[i] - 1]. */
    int nodes;
    int *index;
    int *edge;
    /* Distributed graph: this process's own neighbours; `shape` is a hash of all. */
    bool weighted;
    struct neighbours in, out;
    uint64_t shape;
};

struct topology *topology_copy(const struct topology *topology); /* NULL gives NULL */
void topology_free(struct topology *topology);                   /* NULL is fine */

/* A hash of the whole topology, equal on all members; 0: none. */
uint64_t topology_shape(const struct topology *topology);

/* Whom this process receives from and sends to in neighbourhood collectives, in order; MPI_PROC_NULL beyond the border of a
 * grid. To be given up with neighbours_free. */
struct neighbours topology_sources(const struct communicator *communicator);
struct neighbours topology_destinations(const struct communicator *communicator);
void neighbours_free(struct neighbours *neighbours);
bool neighbours_any(const struct neighbours *neighbours); /* besides MPI_PROC_NULL */
struct neighbours neighbours_copy(const struct neighbours *neighbours);

/* Sets *communicator, or reports that it has no topology of this kind. */
int check_topology(const struct caller *caller, MPI_Comm handle, int kind, struct communicator **communicator);
int check_member(const struct caller *caller, const struct communicator *communicator, int rank);

/* graph_topology.c: the neighbours of a node of a graph. */
struct neighbours graph_neighbours(const struct topology *topology, int node);

#endif
