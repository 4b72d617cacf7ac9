/* Persistent sets (por/persistent.h) of the model's transitions. */
#ifndef EXPLORER_PERSISTENT_MOVES_H
#define EXPLORER_PERSISTENT_MOVES_H

#include "models/mpi/model.h"
#include "por/persistent.h"

/* Writes to `chosen`, which has room for all, the positions of those of the state's transitions that are enough, and returns how many.
 * `relied_on`: as of mpi_model_influences. */
size_t persistent_moves(struct persistent *persistent, struct mpi_model *model, const uint32_t *state, bool relied_on,
                        const struct transition *list, size_t count, uint32_t *chosen);

#endif
