/* Orderings in which a rank waits for the others as often as it may: what it does while nothing comes is then among the steps that
 * are known, also if a search has ended before it met that (places.h). */
#ifndef EXPLORER_PLACE_WALKS_H
#define EXPLORER_PLACE_WALKS_H

#include "explorer/steps/step_source.h"

/* One for each of the program's ranks. Behind them come as many agents. */
void place_walks(struct mpi_model *model, const struct step_source *steps, unsigned ranks);

#endif
