/* Partial-order reduction by persistent sets of ranks: which of a state's transitions need to be explored.
 *
 * A set of ranks K is closed if it holds every rank that can influence a member before that member moves. Whatever the
 * ranks outside a closed K do, the transitions of K stay what they are: none appears, none goes, each commutes with all that
 * happened outside. The transitions owned by K are then a persistent set, provided that one of them is enabled; here one that is
 * not optional is asked for:
 *
 *  - States in which every transition is optional (deadlocks) and states without transitions (ends) are all kept. Take an
 *    ordering w from this state X to such a state D. If w had no transition of K, then the one of K that is not optional
 *    would still be enabled at D: a contradiction. So let u be the first of K in w. It is enabled at X already and commutes with
 *    what precedes it in w, so D is reached from X by u and the rest of w. The rest is shorter: induction.
 *  - Errors of a rank outside K are kept if no transition is put off for ever, and the search sees to this (search_cycles.h).
 *
 * The same holds if of one rank outside K some transitions T are added each of which commutes with all that may happen as long as
 * neither one of T is taken nor K moves: whatever that rank does instead leaves T there. Then K and T together are what the others
 * leave as it is. T has whatever of that rank's does not commute with one of T, so orders within T are all explored.
 *
 * A transition may make a choice of a rank outside K superfluous (matching a send that could have been buffered). This is
 * harmless if the state reached is the one that the choice, followed by the match, would have led to.
 */
#ifndef POR_PERSISTENT_H
#define POR_PERSISTENT_H

#include "models/transition.h"

#include <stddef.h>

struct persistent;

struct persistent *persistent_create(unsigned ranks);
void persistent_destroy(struct persistent *persistent);

typedef bool persistent_commutes(void *context, const struct transition *transition, struct rank_set *rivals,
                                 struct rank_set *set);

/* Chooses among the `count` transitions of a state: the closed set with the fewest transitions, of those that hold a real move
 * (neither optional nor a miss), and of the transitions that can do without their owner's others, with what they need; if there is
 * no real move, one with a miss; else all transitions. Writes the chosen positions in ascending order to `chosen` (room for
 * `count`) and returns their number. `influences(context, rank, set)` adds to the empty `set` every rank that could add or change a
 * transition of `rank` before it moves. It is called at most once a rank. `commutes(context, transition, rivals, set)`: does the
 * transition, which is calm, commute with all that may happen before it, its owner's others included, but for what the ranks do
 * there that it adds to the empty `rivals`, and as long as none of the ranks moves that it adds to the empty `set`? Called at most
 * once a transition. What a rank does at an owner it does in order: the owner's transition with it as the partner comes first.
 * Calm ones are neither optional nor misses. */
size_t persistent_select(struct persistent *persistent, const struct transition *list, size_t count,
                         void (*influences)(void *context, unsigned rank, struct rank_set *set), persistent_commutes *commutes,
                         void *context, uint32_t *chosen);

#endif
