/* Cartesian topologies of communicators. The real MPICH cannot carry them: its communicators have one process. */
#ifndef MODELS_MPI_PRELOAD_TOPOLOGY_H
#define MODELS_MPI_PRELOAD_TOPOLOGY_H

struct topology; /* grid sizes, which dimensions are periodic */

struct topology *topology_copy(const struct topology *topology); /* NULL gives NULL */
void topology_free(struct topology *topology);                   /* NULL is fine */

#endif
