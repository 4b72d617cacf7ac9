/* Several strategies in turn, by yield. A member's turn is a number of orderings: twice as many as the last time if one of those
 * brought something new, else half as many, from 1 to 64. So nobody starves, and what each member gives does not depend on the
 * others. One strategy alone is a portfolio of one. */
#ifndef HEURISTICS_PORTFOLIO_H
#define HEURISTICS_PORTFOLIO_H

#include "heuristics/strategy.h"

struct portfolio_member {
    const struct strategy *strategy;
    uint64_t orderings; /* given so far */
    bool exhausted;     /* it has no more */
    void *self;
    unsigned turn; /* its length */
    bool news;     /* in the turn at hand */
};

struct portfolio;
/* `member`: 1 to `members` strategies. */
struct portfolio *portfolio_create(const struct strategy *const *member, size_t members, unsigned ranks, uint64_t seed);
void portfolio_destroy(struct portfolio *portfolio);
/* The next ordering begins. False: all members are exhausted. */
bool portfolio_begin(struct portfolio *portfolio);
size_t portfolio_choose(struct portfolio *portfolio, const struct strategy_choice *choice);
/* The ordering is over; `news`: it came to something that none before came to; `ended`: it was not given up. */
void portfolio_end(struct portfolio *portfolio, bool news, bool ended);
/* The members in their order. */
const struct portfolio_member *portfolio_members(const struct portfolio *portfolio, size_t *count);
uint64_t portfolio_memory(const struct portfolio *portfolio);

#endif
