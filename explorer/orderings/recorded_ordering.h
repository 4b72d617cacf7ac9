/* Orderings that were recorded under real MPI, in the explorer. */
#ifndef EXPLORER_RECORDED_ORDERING_H
#define EXPLORER_RECORDED_ORDERING_H

#include "explorer/orderings/ending.h"
#include "explorer/orderings/witness_file.h"
#include "models/mpi/enforce/choices.h"

/* Finds the ordering in which each rank chooses what it chose: the decisions that search_follow takes. False: `sentence` says where
 * the program does something else than was recorded, or is empty if the explorer was stopped. To be freed in either case. */
bool recorded_ordering_find(struct exploration *exploration, const struct choices *wanted, struct ordering *ordering,
                            char *sentence, size_t room);

/* Reads a recording that is to be the reference ordering (--reference) of a run. False: `sentence` says why it cannot be, for
 * instance that it is of another build. `path`: of all programs' executables. On success free with witness_free. */
bool recorded_reference_read(const struct options *options, char *const *path, struct witness_file *file, char *sentence,
                             size_t room);

#endif
