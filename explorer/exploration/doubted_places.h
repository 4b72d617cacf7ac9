/* Memory of a shared window that is loaded and stored at the same time, in an exploration that came to no end: it is taken for a
 * flag, each access to which is a step of its own, for as long as it may turn out that somebody waits for it (places.h). */
#ifndef EXPLORER_DOUBTED_PLACES_H
#define EXPLORER_DOUBTED_PLACES_H

#include "explorer/exploration/exploration.h"

/* A sentence on such memory that nobody has been seen to wait for; malloc'd. NULL: there is none. */
char *doubted_places_tell(const struct exploration *exploration);

#endif
