/* The reference ordering: what happens if nobody chooses. Every other ordering is described by where it differs. */
#ifndef HEURISTICS_REFERENCE_ORDER_H
#define HEURISTICS_REFERENCE_ORDER_H

#include "models/transition.h"

#include <stddef.h>

#define REFERENCE_NONE SIZE_MAX

/* The default among the transitions list[chosen[0]], … list[chosen[count - 1]] of a state: the first real move, else the first
 * optional one. A miss is never a default (time that passes without need): REFERENCE_NONE if there is nothing else. Returns
 * a position in `list`. */
size_t reference_default(const struct transition *list, const uint32_t *chosen, size_t count);

#endif
