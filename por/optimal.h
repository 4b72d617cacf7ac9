/* Dynamic partial-order reduction by the reversal of races: one ordering of each class of equivalent ones, and no states kept but
 * those of the ordering at hand (Abdulla, Aronis, Jonsson, Sagonas: Source Sets, Journal of the ACM 64, 2017, algorithm 2).
 *
 * An ordering is explored to its end. Then for each of its events e all that can be done without e is done instead, from the state
 * in which e was taken: the later events that do not need it. Whatever that puts on offer and e excludes is a race: e and that event,
 * f, cannot both happen, so an ordering in which f comes is not equivalent to this one. Its beginning (what was done without e,
 * and f) is put into the wakeup tree of the state, unless an event that has been explored there before can come first in it: then it
 * is part of what followed that one. Explored events sleep in the states after it, until something excludes them.
 *
 * What depends on what is found by doing it, not told by a relation: an event needs another one if without that it is not on offer.
 *
 * Each ordering is explored once, up to equivalence, and none is begun in vain (`blocked` is 0). Nothing follows an error, and an
 * ordering that comes back to a place where it was is not followed any further; what would have come after might have shown a race. So
 * if an ordering ends in one of these ways, others may be left out; if none does, all classes have been explored.
 *
 * It is relied on that two events of an owner that exclude a third one exclude each other, unless one of the two needs the other: so do
 * all matches of one receive, all answers to one call, and all matches of one message, of which only the earliest receive is on offer
 * until it is gone. (por/source_sets.h does without.) */
#ifndef POR_OPTIMAL_H
#define POR_OPTIMAL_H

#include "por/ordering_listener.h"

/* Explores all orderings from a state. False: it was stopped. The counts are kept up to date meanwhile. */
explore_orderings optimal_explore;

#endif
