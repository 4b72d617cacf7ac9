/* Which members of an object are read and written while other code runs. Internal.
 *
 * The pages that hold the object and what it points to are protected. An access to them is noted by the processor's fault, and let
 * through by opening the page for one instruction. Exact for those members that are accessed alone; an instruction that is wide
 * enough to concern a member counts for it. Not seen: accesses by system calls (which fail meanwhile) and by processes' other
 * threads. What the object points to must be allocated memory. For observing only: each access costs microseconds. */
#ifndef MODELS_DPS_OBSERVE_H
#define MODELS_DPS_OBSERVE_H

#include "models/dps/dps.h"

enum observed { OBSERVED_NOT, OBSERVED_READ, OBSERVED_WRITTEN };

/* Begins to observe, one object at a time. `seen` has an entry for each member of the type; entries only ever grow, so that several
 * observations add up: what is written once is written. False: there is no memory, or no signal handlers. */
bool observe_begin(const struct dps_type *type, void *object, enum observed *seen);
void observe_end(void);

#endif
