/* Where steps come from. The search asks for step(local state, resolution); a step source runs it (in an executor, or in a
 * test by an interpreter) once and remembers it. The search knows nothing of processes, a step source nothing of search. */
#ifndef EXPLORER_STEP_SOURCE_H
#define EXPLORER_STEP_SOURCE_H

#include "models/mpi/model.h"

#include <pthread.h>

struct step_source {
    /* The local state in which `rank` has just called MPI_Init. */
    uint32_t (*root)(void *self, unsigned rank);
    /* The result of a step; NULL if the run must stop (interrupted, budget over, or a failure of the explorer itself that the
     * source keeps the sentence of). The result lives as long as the source. */
    const struct step_result *(*get)(void *self, uint32_t local, const struct resolution *resolution);
    /* Says that `get` will probably be called so: an idle executor may begin. May do nothing. `follow`: and then for what comes
     * after that, as far as it is known without other ranks. */
    void (*want)(void *self, uint32_t local, const struct resolution *resolution, bool follow);
    /* Hash of everything that the rank has written so far, in order, each stream apart. Part of its local state's name. */
    uint64_t (*output)(void *self, uint32_t local);
    /* What counts of the memory in which a rank has ended, as a hash; NULL: memory is no part of the outcome. */
    uint64_t (*memory)(void *self, uint32_t local);
    /* The differences of two such memories as part of a sentence, malloc'd; there if `memory` is. */
    char *(*memory_difference)(void *self, uint32_t local, uint32_t other);
    /* Lets several threads ask: each while it holds this lock, which `get` lets go of while it waits for somebody else, so that the
     * others need not wait, too. NULL ends that. May be NULL itself: `get` never waits. */
    void (*share)(void *self, pthread_mutex_t *lock);
    /* Whether a rank can come back to a local state by the steps known so far; NULL: perhaps. */
    bool (*cyclic)(void *self);
    void *self;
};

#endif
