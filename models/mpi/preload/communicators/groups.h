/* The program's groups: ordered sets of processes. All ours: the real MPICH knows only one process. */
#ifndef MODELS_MPI_PRELOAD_GROUPS_H
#define MODELS_MPI_PRELOAD_GROUPS_H

#include "models/mpi/preload/caller.h"

struct group {
    int size;
    int world[]; /* each member's rank in MPI_COMM_WORLD */
};

/* The handle of a new group; MPI_GROUP_EMPTY if it has no members. */
MPI_Group group_create(const int *world, int size);

/* Sets *group, or reports that the handle names none (see arguments.h). The group is valid until freed. */
int check_group(const struct caller *caller, MPI_Group handle, const struct group **group);

/* MPI_UNDEFINED if not a member. */
int group_rank_of(const struct group *group, int world_rank);

/* MPI_IDENT, MPI_SIMILAR or MPI_UNEQUAL. */
int group_compare(const int *first, int first_size, const int *second, int second_size);

#endif
