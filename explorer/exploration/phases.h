/* What a run did one after another, and what each part covered: exploration->phase. */
#ifndef EXPLORER_PHASES_H
#define EXPLORER_PHASES_H

#include "explorer/exploration/exploration.h"

/* Adds a phase that began at `since` (exploration_seconds) and ends now. Its `covered` is the caller's to fill in. */
struct phase *phases_add(struct exploration *exploration, const char *name, double since, uint64_t deliveries);
/* The reference ordering (if this is the first phase) and the rest of the graph: exploration->search has just been run, to this
 * end. Of a graph that stays unfinished the share that was covered is estimated. */
void phases_note_graph(struct exploration *exploration, double since, enum search_end end);
/* A proof by parts has been tried: exploration->by_parts, and ->proof. */
void phases_note_parts(struct exploration *exploration, double since);
void phases_note_strategies(struct exploration *exploration, double since);
/* ", an estimated 12% of the orderings", or "" if that is not known. Returns `text`. */
const char *phases_tell_estimate(const struct exploration *exploration, char *text, size_t room);

#endif
