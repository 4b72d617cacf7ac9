/* Shrinks an ordering: leaves out what differs from the reference ordering as long as it comes to the same. */
#ifndef EXPLORER_SHRINK_H
#define EXPLORER_SHRINK_H

#include "explorer/orderings/minimal.h"

/* Replaces *ordering, which comes to the goal, by one that does so with fewer differences, if it finds one. */
void shrink_ordering(const struct seeker *seeker, const struct search_goal *goal, struct ordering *ordering);

#endif
