/* Local states that behave alike are taken for one. What a rank has left in variables that it does not need any more, in registers, or
 * in an array that it is going to sort, makes different local states of it, though nobody will ever notice; and while a rank has few of
 * them, a graph has the product of all ranks' such states.
 *
 * This is a step source over another one. Its local states stand for classes of the other's: where a step leads is told as the first
 * local state of its class. Two of a rank get into one class because they are guessed to be alike: they are in the same call, were
 * told the same things since MPI_Init, in whatever order, have said and asked for the same, and written the same. The guess is checked all the
 * time: a step that is asked for is executed from all members of the class, and must do the same, call by call, bit by bit; and where
 * it leads from one of them and from another is one class then, whose members are executed from in turn.
 *
 *     So classes are a bisimulation (Milner, Communication and Concurrency, 1989, chapter 4) of the rank as far as steps were asked for,
 *     and of the ranks that halt where none was. With them, what can happen in the graph from a global state is just what can happen
 *     from one that has other members in their place; in particular from the program's own: each path of the graph is an ordering of
 *     the program, and the other way round.
 *
 * Two that turn out to differ end the search, which finds nothing out then: it begins again, and what is in that call is not guessed
 * any more. What comes of steps is not changed, nor is which of them are executed if all local states are met anyway: this is about the
 * size of the graph. */
#ifndef EXPLORER_BISIMILAR_H
#define EXPLORER_BISIMILAR_H

#include "explorer/steps/step_source.h"

struct bisimilar;

/* Of the ranks only the first so many are guessed about: the rest are agents. */
struct bisimilar *bisimilar_create(unsigned program_ranks);
/* What it has told of, mpi_model's components may refer to: to be ended after them. */
void bisimilar_destroy(struct bisimilar *bisimilar);
uint64_t bisimilar_memory(const struct bisimilar *bisimilar); /* bytes */

/* The step source for one search, over this one. It forgets all classes, and remembers what is not to be guessed. */
const struct step_source *bisimilar_begin(struct bisimilar *bisimilar, const struct step_source *steps);

/* Since it began, two of a class turned out to differ: a step was refused for that. */
bool bisimilar_differs(const struct bisimilar *bisimilar);
/* There is still something to be guessed. */
bool bisimilar_has_guesses(const struct bisimilar *bisimilar);
/* Local states that were taken for others. */
uint64_t bisimilar_merged(const struct bisimilar *bisimilar);

#endif
