/* The program's communicators. Each is carried by a real MPICH communicator of size 1, so that attributes, names, info and
 * error handlers live in MPICH under the handle that the program has; size, rank and members are ours. */
#ifndef MODELS_MPI_PRELOAD_COMMUNICATORS_H
#define MODELS_MPI_PRELOAD_COMMUNICATORS_H

#include "models/mpi/preload/caller.h"

struct topology;

struct communicator {
    MPI_Comm handle;  /* MPI_COMM_NULL once freed, while operations still hold the communicator */
    uint64_t context; /* its name towards the explorer */
    int size;
    int rank; /* of this process */
    uint32_t references;
    uint32_t created;          /* communicators made from this one so far: part of their names */
    struct topology *topology; /* NULL: none. Owned. */
    int world[];               /* each member's rank in MPI_COMM_WORLD */
};

/* MPI_COMM_WORLD and MPI_COMM_SELF, once the rank is known. */
void communicators_start(void);

/* NULL if the handle names none. */
struct communicator *communicator_find(MPI_Comm handle);

/* A new communicator made from `parent`, carried by `real`; tells the explorer. This process must be a member. */
struct communicator *communicator_create(struct communicator *parent, MPI_Comm real, const int *world, int size);

/* One that the program never sees, for messages of the library's own; `purpose` tells those made from one parent apart. To be given
 * back with communicator_release. */
struct communicator *communicator_create_hidden(const struct communicator *parent, uint64_t purpose, const int *world,
                                                int size);

/* The k-th creation on a parent names what it makes, on the members that get nothing too. */
void communicator_count_creation(struct communicator *parent);

/* A real communicator to carry a new one that inherits no attributes. */
MPI_Comm communicator_make_carrier(const struct communicator *parent);

/* Rank in the communicator of a process given by its rank in MPI_COMM_WORLD; MPI_UNDEFINED if it is not a member. */
int communicator_rank_of(const struct communicator *communicator, int world_rank);

/* Pending operations keep their communicator. */
struct communicator *communicator_hold(struct communicator *communicator);
void communicator_release(struct communicator *communicator);

#endif
