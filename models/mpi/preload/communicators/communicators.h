/* The program's communicators. Each is carried by a real MPICH communicator of size 1, so that attributes, names, info and
 * error handlers live in MPICH under the handle that the program has; size, rank and members are ours. */
#ifndef MODELS_MPI_PRELOAD_COMMUNICATORS_H
#define MODELS_MPI_PRELOAD_COMMUNICATORS_H

#include "models/mpi/preload/caller.h"

#include <stddef.h>

struct topology;

struct communicator {
    MPI_Comm handle;  /* MPI_COMM_NULL once freed, while operations still hold the communicator */
    uint64_t context; /* its name towards the explorer */
    int size;
    int rank;            /* of this process */
    bool is_incomplete;  /* MPI_Comm_idup has not completed: not to be used yet */
    bool handles_errors; /* ... with a handler other than MPI_ERRORS_ARE_FATAL */
    uint32_t references;
    uint32_t created;           /* communicators made from this one so far: part of their names */
    uint32_t created_of_groups; /* ... with MPI_Comm_create_group, which not all members call */
    struct topology *topology;  /* NULL: none. Owned. */
    int remote_size;            /* intercommunicator: of the other group */
    bool is_second;             /* ... its group is the second towards the explorer */
    int *remote;                /* ... the other group's ranks in MPI_COMM_WORLD; NULL: intracommunicator. Owned. */
    int world[];                /* each member's rank in MPI_COMM_WORLD; of an intercommunicator, its own group's */
};

/* The members of a communicator, as ranks in MPI_COMM_WORLD. */
struct members {
    const int *world;
    int size;
    const int *remote; /* NULL: intracommunicator */
    int remote_size;
};

/* MPI_COMM_WORLD and MPI_COMM_SELF, once the rank is known. */
void communicators_start(void);

/* NULL if the handle names none. */
struct communicator *communicator_find(MPI_Comm handle);
/* The same by the name towards the explorer. */
struct communicator *communicator_of_context(uint64_t context);

/* A new communicator made from `parent`, carried by `real`; tells the explorer. This process must be a member. `shape` is a
 * hash of what else tells it from others that could have been made instead: its topology. */
struct communicator *communicator_create(struct communicator *parent, MPI_Comm real, const struct members *members,
                                         uint64_t shape);
/* The same with another origin than a parent: a hash that all members compute alike and that is never used again. */
struct communicator *communicator_create_from(uint64_t origin, MPI_Comm real, const struct members *members);
/* A context beside the communicator's own, for what an implementation would send over it under the hood. Not in the table: to
 * be given up with communicator_release. `members` NULL: those of the communicator. */
struct communicator *communicator_make_hidden(const struct communicator *communicator, uint64_t purpose,
                                              const struct members *members);
struct members communicator_members(const struct communicator *communicator);

/* The k-th creation on a parent names what it makes, on the members that get nothing too. */
void communicator_count_creation(struct communicator *parent);

/* A real communicator to carry a new one that inherits no attributes. */
MPI_Comm communicator_make_carrier(const struct communicator *parent);

/* Rank in the communicator of a process given by its rank in MPI_COMM_WORLD; MPI_UNDEFINED if it is not a member. */
int communicator_rank_of(const struct communicator *communicator, int world_rank);

/* Those whom a rank in a call names: the members, or those of the other group of an intercommunicator. */
static inline bool communicator_is_inter(const struct communicator *communicator) { return communicator->remote != NULL; }
static inline int communicator_peers(const struct communicator *communicator) {
    return communicator_is_inter(communicator) ? communicator->remote_size : communicator->size;
}
static inline int communicator_peer(const struct communicator *communicator, int rank) {
    return communicator_is_inter(communicator) ? communicator->remote[rank] : communicator->world[rank];
}
int communicator_peer_rank(const struct communicator *communicator, int world_rank);

/* Collectives of both groups of an intercommunicator (WIRE_BOTH_GROUPS) number the members of either group like this. */
int communicator_union_own(const struct communicator *communicator, int rank);
int communicator_union_remote(const struct communicator *communicator, int rank);

/* Gives it a topology, which it then owns (NULL: none), and tells the explorer of the neighbours. */
void communicator_set_topology(struct communicator *communicator, struct topology *topology);

/* Pending operations keep their communicator. */
struct communicator *communicator_hold(struct communicator *communicator);
void communicator_release(struct communicator *communicator);

#endif
