/* Strategies: which orderings to try when there are too many for all. A strategy gives one ordering after another and is asked at
 * each state which of the transitions to take. It knows nothing but what it is shown, and does the same again with the same seed
 * and the same answers.
 *
 *     breadth-first  the reference ordering, then those that differ from it in one decision, in two, …, as the search
 *     depth-first    one branch to its end before the next (Schaeli 2009, 4.5.5 and 5.5.5), in every order of branches
 *     late           each message as late as possible (expression 4.1)
 *     adjacent       each pair of messages that meet at a rank right after one another, both ways (expression 4.2)
 *     delay-bounded  messages in the order sent, but for one delay, two, … (Emmi, Qadeer, Rakamaric 2011)
 *     random         by lot: each ordering with the same probability where their number is known, each transition elsewhere
 *     pct            priorities by lot (Burckhardt et al. 2010), with a guarantee: see pct.c */
#ifndef HEURISTICS_STRATEGY_H
#define HEURISTICS_STRATEGY_H

#include "models/transition.h"

#include <stddef.h>

/* A state in which one transition is to be taken. */
struct strategy_choice {
    const struct transition *list;
    size_t count;             /* at least one */
    const uint32_t *progress; /* by rank: how far it has come, in calls completed */
    uint64_t state;           /* its name: what follows two states of one name is the same */
};

struct strategy {
    const char *name;
    void *(*create)(unsigned ranks, uint64_t seed); /* its `self` for the others; running out of memory ends the process */
    void (*destroy)(void *self);
    /* The next ordering begins. False: all that this strategy gives have been given. */
    bool (*begin)(void *self);
    /* A position in choice->list. */
    size_t (*choose)(void *self, const struct strategy_choice *choice);
    /* The ordering has come to an end where nothing follows; not called for one that is given up. NULL: of no interest. */
    void (*end)(void *self);
    /* Bytes held. */
    uint64_t (*memory)(const void *self);
};

/* All of them, in the order above; ends with NULL. */
extern const struct strategy *const strategies[];
extern const struct strategy strategy_breadth_first, strategy_depth_first, strategy_late, strategy_adjacent,
    strategy_delay_bounded, strategy_random, strategy_pct;

enum { STRATEGIES_MOST = 16 };
/* Those of a list of names separated by commas, once each; "portfolio": all of them. Returns how many, 0 if a name is none. */
size_t strategies_named(const char *names, const struct strategy *list[STRATEGIES_MOST]);

/* What to take if nothing speaks for anything else, among the positions chosen[0] … chosen[count - 1]: the reference's default; if
 * all of them are misses, that of the rank that has come least far, so that all go on polling in turn. `count` is at least one. */
size_t strategy_default(const struct strategy_choice *choice, const uint32_t *chosen, size_t count);

#endif
