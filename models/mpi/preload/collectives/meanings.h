/* What the members of a collective must agree on, in words: a half of an `agreement` (protocol.h) is mostly a hash, and where members
 * do not agree each one's is to be told. */
#ifndef MODELS_MPI_PRELOAD_MEANINGS_H
#define MODELS_MPI_PRELOAD_MEANINGS_H

#include "models/mpi/protocol.h"

#include <stddef.h>

/* All zero: no words yet. */
struct meaning {
    char text[WIRE_MEANING_ROOM];
    size_t used;  /* bytes */
    size_t whole; /* so many of them may stay if there is more to be said than there is room for */
};

/* What there is no room for, and all that comes later, is left out, and three dots tell so. */
void meaning_add(struct meaning *meaning, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Tells the explorer; `half`: of an agreement, the other half being 0. */
void meaning_announce(uint64_t half, const struct meaning *meaning);

#endif
