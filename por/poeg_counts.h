/* How many orders of messages a partial-order execution graph admits: all ranks together, each rank apart, and each subgroup apart
 * (Schaeli 2009, section 4.4.6).
 *
 * Other than poeg.h's, this graph holds what precedes what in all orderings, and not only in one run: pasts as a proof by parts
 * finds them (parts.h). A message precedes another if it always must have been taken when the other one is given; or if both
 * concern one rank, which in the run could not take the other one instead of it: its receive names another source, or messages of
 * one line keep their order. A message that is given after the first of several, whichever that is, has none of them before it, as
 * no partial order could say that. A choice that ranks have among receives is counted as the run made it. Meetings order messages,
 * and are not counted. */
#ifndef POR_POEG_COUNTS_H
#define POR_POEG_COUNTS_H

#include "por/parts.h"

enum {
    POEG_SETS_MOST = 1 << 21, /* for each number: beginnings of orders, as sets. If there are more it is not counted */
    POEG_MESSAGES_MOST = 1024 /* else there are no counts */
};

/* Of all groups together. */
struct poeg_count {
    size_t groups, messages;
    char *orderings;  /* their sum, decimal; NULL: more than can be counted */
    char *deliveries; /* the sum of each group's orderings times its messages; NULL likewise */
    uint64_t edges; /* with `deliveries`: of each group's state graph, if orders of the same messages end alike (section 4.7) */
};

/* May two messages to one rank be taken in either order for all that matters to the rank (section 4.4.3)? Somebody's claim. */
struct poeg_exchange {
    bool (*may)(void *context, uint32_t rank, uint32_t content, uint32_t other);
    void *context;
};

struct poeg_counts {
    struct poeg_count whole, by_rank, by_subgroup;
    struct poeg_count subset; /* of each subgroup only the orders of poset_subset */
    bool reduced; /* there was such a claim: these are of the orders that poset_reduce leaves, which no proof may rest on */
    struct poeg_count by_rank_reduced, by_subgroup_reduced, subset_reduced;
    uint32_t *
        subgroup; /* then, of each message in the order of the run, the subgroup that it is left in, of its rank's; else NULL */
    size_t messages;
};

/* `exchange` may be NULL. False: the model gave up, or `why` says why there is no such graph. `counts` is freed by poeg_counts_free
 * in any case. */
bool poeg_counts_find(const struct parts_model *model, uint64_t most_states, const struct poeg_exchange *exchange,
                      struct poeg_counts *counts, char *why, size_t room);
void poeg_counts_free(struct poeg_counts *counts);

#endif
