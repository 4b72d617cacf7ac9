/* Orderings one after another, over the steps that are remembered, without a graph: some, which strategies (heuristics/strategy.h)
 * give and which are no proof, however many; or one of each class of equivalent ones, or a graph that holds one of each. What they come to is reported as a search does,
 * by following the ordering (search_follow). */
#ifndef EXPLORER_SUBSET_H
#define EXPLORER_SUBSET_H

#include "explorer/search/search.h"

struct exploration;

struct subset_share {
    const char *strategy;
    uint64_t orderings;
    bool exhausted; /* it gave all that it has */
};

/* What was covered. */
struct subset {
    size_t strategies;
    struct subset_share share[16];
    uint64_t orderings; /* in all */
    uint64_t cut;       /* of them given up, as they did not end */
    uint64_t outcomes;  /* distinct ones of orderings that ended well */
    uint64_t states;    /* distinct states in which something was chosen, or nothing followed */
    uint64_t moves, steps, deliveries;
    uint64_t bytes;       /* held for the states at last */
    bool is_all;          /* each class of equivalent orderings was explored, */
    bool is_merged;       /* in a graph whose states were merged */
    const char *unsuited; /* why there are no such classes (inequivalent_unsuited); NULL: there are */
};

/* Runs strategies (a list of names, or "portfolio") on exploration->search, which must be new and compare: until a finding, a
 * budget, so many orderings (0: no limit), or all are given: then SEARCH_COMPLETE. SEARCH_AGENTS: as of search_run. */
enum search_end subset_run(struct exploration *exploration, const char *names, uint64_t orderings, struct subset *covered);
/* The same with one ordering of each class of equivalent ones (por/optimal.h), as far as `covered` says; `merged`: with a graph that the
 * reversal of races makes (por/source_sets.h). */
enum search_end subset_run_all(struct exploration *exploration, bool merged, struct subset *covered);
/* "7 by late, 5 by random; 2 distinct outcomes" */
void subset_tell(const struct subset *covered, char *sentence, size_t room);

#endif
