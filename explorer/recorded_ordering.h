/* Orderings that were recorded under real MPI, in the explorer. */
#ifndef EXPLORER_RECORDED_ORDERING_H
#define EXPLORER_RECORDED_ORDERING_H

#include "explorer/ending.h"
#include "models/mpi/enforce/choices.h"

/* Finds the ordering in which each rank chooses what it chose: the decisions that search_follow takes. False: `sentence` says where
 * the program does something else than was recorded, or is empty if the explorer was stopped. To be freed in either case. */
bool recorded_ordering_find(struct exploration *exploration, const struct choices *wanted, struct ordering *ordering,
                            char *sentence, size_t room);

#endif
