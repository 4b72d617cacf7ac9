/* A few ranges of bytes of a window, or of memory, in ascending order; between any two of them there are others. All zero: none. */
#ifndef MODELS_MPI_PRELOAD_SPANS_H
#define MODELS_MPI_PRELOAD_SPANS_H

#include "models/mpi/protocol.h"

#include <stdbool.h>

struct spans {
    uint64_t count;
    struct wire_span span[WIRE_SPANS_MOST];
};

/* False: there is no room for these bytes, and nothing is added. */
bool spans_add(struct spans *spans, uint64_t from, uint64_t to);
/* Are all of these bytes in there? Any of them? */
bool spans_hold(const struct spans *spans, uint64_t from, uint64_t to);
bool spans_meet(const struct spans *spans, uint64_t from, uint64_t to);
/* Takes the first bytes off those from *at to before `end` that are in there, or not if not `within`: *part. False: there are none. */
bool spans_take(const struct spans *spans, bool within, uint64_t *at, uint64_t end, struct wire_span *part);

#endif
