/* What a transition decides, in the terms of the rank that owns it rather than in those of the model's state: which of the rank's
 * operations it is about, which requests its call reports. For those who carry an ordering to another place. */
#ifndef MODELS_MPI_DECIDED_H
#define MODELS_MPI_DECIDED_H

#include "models/mpi/model.h"

enum decided_kind {
    DECIDED_SOURCE,     /* the receive `operation` gets its message from `partner` */
    DECIDED_CANCELLED,  /* `operation` is withdrawn */
    DECIDED_BUFFERED,   /* the send `operation` completes before it is matched */
    DECIDED_EARLY,      /* a collective is left before all have entered; a nonblocking one is `operation` */
    DECIDED_COMPLETION, /* the call reports the requests at `position` in its list */
    DECIDED_PASSED,     /* it will not report the one at `position` */
    DECIDED_PROBE,      /* the probe finds a message of `partner` */
    DECIDED_MISS,       /* the call says "not yet" */
};

struct decided {
    enum decided_kind kind;
    uint16_t owner, partner;
    struct operation operation; /* only kind, mode, function, request, peer and site are filled in */
    uint32_t positions;
    const uint32_t *position; /* ascending; valid until the next call */
};

/* `transition` is one of those of `state`, which has not taken it yet. `room` has place for as many positions as the owner's
 * call has requests. */
struct decided mpi_model_decided(const struct mpi_model *model, const uint32_t *state, const struct transition *transition,
                                 uint32_t *room);
/* How many requests the call of a rank in this component waits for or tests; 0: none, or the rank has ended. */
uint32_t mpi_model_awaited(const struct mpi_model *model, uint32_t component);
/* The call that a rank is blocked in; NULL: it has ended. */
const struct call *mpi_model_call(const struct mpi_model *model, uint32_t component);

#endif
