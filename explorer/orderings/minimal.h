/* Makes witnesses minimal: fewest decisions that differ from the reference ordering, then the fewest moves; of a race, two
 * orderings that part as late as any two with different outcomes that begin like the witness. */
#ifndef EXPLORER_MINIMAL_H
#define EXPLORER_MINIMAL_H

#include "explorer/search/search.h"

/* How to look for other orderings, over the steps of a search that has found something. */
struct seeker {
    /* A new search with these options; destroyed by the caller. */
    struct search *(*create)(void *context, const struct search_options *options);
    void *context;
    struct search_options options; /* as of that search, without budgets */
    unsigned ranks;                /* agents included */
    struct mpi_model *model;
    const struct step_source *steps;
    double deadline; /* seconds of the monotonic clock; no search begins after it */
};

/* The options of a search for a goal, within what time is left. */
struct search_options seeker_options(const struct seeker *seeker, const struct search_goal *goal);
/* Is it past the deadline? */
bool seeker_is_late(const struct seeker *seeker);
/* Follows an ordering. True: it comes to the goal; *found is it up to there, to be freed, with differences as they count now. */
bool seeker_follow(const struct seeker *seeker, const struct search_goal *goal, const struct ordering *ordering,
                   struct ordering *found);

/* Replaces a finding by the same one with a better witness if there is one, and says whether it is minimal. `by_strategy`: it
 * was not met in the order of differences. `any_outcome`: of a race any other outcome than that of the other ordering will do. */
void minimal_make(const struct seeker *seeker, struct search *search, size_t number, bool by_strategy, bool any_outcome);

#endif
