/* What reports count as deliveries. */
#ifndef EXPLORER_DELIVERIES_H
#define EXPLORER_DELIVERIES_H

#include "models/mpi/model.h"

/* Messages received and collectives left, counted when the rank is told. */
static inline uint64_t deliveries_in(const struct resolution *answer) {
    if (answer->kind == WIRE_LEFT)
        return 1;
    uint64_t deliveries = 0;
    for (uint32_t i = 0; i < answer->completions; i++)
        deliveries += answer->completion[i].source >= 0 && answer->completion[i].with_data;
    return deliveries;
}

#endif
