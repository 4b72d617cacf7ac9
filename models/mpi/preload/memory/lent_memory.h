/* Memory that the program has lent to MPI for longer than an operation takes: that of windows, and the attached buffer. It must be
 * there until MPI gives it back. */
#ifndef MODELS_MPI_PRELOAD_LENT_MEMORY_H
#define MODELS_MPI_PRELOAD_LENT_MEMORY_H

#include "models/mpi/preload/caller.h"
#include "models/mpi/preload/memory/stack_room.h"

#include <stdbool.h>
#include <stddef.h>

/* Stays where it is while it is lent. */
struct lent_memory {
    uintptr_t from, to;
    struct stack_frame frame;
    bool freed; /* some of it; there may be another block by now */
    struct caller borrower;
    struct lent_memory *next;
};

void lent_memory_begin(struct lent_memory *memory, const struct caller *borrower, const void *address, size_t size);
void lent_memory_end(struct lent_memory *memory); /* also if it is not lent */

/* Is it not there any more? */
bool lent_memory_is_lost(const struct lent_memory *memory);

/* Ends the rank if the memory is not there any more; `what` it is. */
void lent_memory_require(const struct caller *caller, const struct lent_memory *memory, const char *what);

#endif
