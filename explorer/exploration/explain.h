/* Local states for users: the table of them, and why two of them differ. */
#ifndef EXPLORER_EXPLAIN_H
#define EXPLORER_EXPLAIN_H

#include "explorer/exploration/exploration.h"
#include "explorer/local_states/state_difference.h"

/* Prints what options->list_states and options->explain ask for. False: a number is not that of a local state, or the two are of
 * different ranks: `sentence` says so. */
bool explain_local_states(FILE *out, struct exploration *exploration, char *sentence, size_t room);

#endif
