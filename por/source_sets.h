/* A graph of states, made by the reversal of races: source sets (Abdulla, Aronis, Jonsson, Sagonas: Source Sets, Journal of the ACM 64,
 * 2017, definition 4.3), of states of which each is visited once, however many orderings come to it.
 *
 * A set T of events on offer in a state is a source set if each ordering from there has an *initial* in T: an event that could as well
 * have come first, as all before it commute with it. Taking T alone then comes to an equivalent of each ordering: the rest of it
 * is one from the next state. That is so whatever came before the state. So if the events taken in each state of a graph are a
 * source set of it, the graph comes to all ends, though states are merged: no ordering has to be remembered, and nothing sleeps.
 *
 * Which sets do is found from the ends backward. In a state one event is taken, and all that follows is explored. Then the graph behind
 * each event e is walked once more, from a copy of the state in which e is not taken: along each of its ways all is done that
 * can be done without e (the *shadow* of the way). Where the shadow offers an event f that e excludes, there is a race: what the shadow
 * has done, w, and then f, is the beginning of orderings to which e leads nowhere. If no initial of w f has been taken in the state, one
 * is now, and so on until no race is left that has none.
 *
 * Why that is enough: let the graph behind each event of T hold an equivalent of each ordering from there (by induction, as it is
 * smaller), and E be an ordering from the state that has no initial in T. Take the e of T that commutes with the longest beginning
 * w of E. E does not end without e or what excludes it, since e stays on offer; so w is followed by an f that e excludes. e w is the
 * beginning of an ordering, of which the graph has an equivalent. Its shadow can do w: of e's owner's events it may also leave
 * out any, and all others are compatible with w, so that they take nothing away from it. It offers f then, and if all else that
 * it did is v, T holds an initial of w v f. If that is one of w f, it is one of E: a contradiction. If not it is in v and commutes with
 * w f, a longer beginning of E than w: another.
 *
 * A persistent set (por/persistent.h) is a source set. Where one is known no event outside is taken, as one of any initials is
 * within; and where all of it has been taken no race is looked for. So this graph is never larger than that of persistent sets.
 *
 * Walks that take too long, for all that has been explored, are given up, and the whole persistent set is taken.
 *
 * Where the graph goes round, a state would have to rely on what follows another one before that is known. In states from which it is
 * come to a circle all of the persistent set is taken, which needs to rely on nothing. If nothing leads out of circles then, all
 * is taken in one of their states: what persistent sets put off is still on offer there (the ignoring problem; Valmari: Stubborn Sets for
 * Reduced State Space Generation, 1990). If still nothing leads out, no ordering does, as all ends would have been come to.
 *
 * As with por/optimal.h nothing follows an error, and what is endless without any choice, or longer than 65536 events, is cut: if neither
 * was met, all ends have been, and all circles without a way out. */
#ifndef POR_SOURCE_SETS_H
#define POR_SOURCE_SETS_H

#include "por/ordering_listener.h"

/* Explores the graph from a state. `listener` is called once for each state in which nothing is on offer, once for states that go round
 * without a way out, and for each way that ends otherwise. False: it was stopped. The counts are kept up to date meanwhile. */
explore_orderings source_sets_explore;

#endif
