/* Orderings by how far they deviate from a base ordering: first the base, then all at cost 1, all at cost 2, …, each once.
 *
 * At each state (a point of the ordering) a rule says which transitions come into question, the base's first, and what it costs to
 * take each of the others instead. An ordering is given by its deviations; one that has been walked adds those that deviate from
 * it once more, later than it does itself. */
#ifndef HEURISTICS_DEVIATIONS_H
#define HEURISTICS_DEVIATIONS_H

#include "heuristics/strategy.h"

struct candidate {
    uint32_t position; /* in choice->list */
    uint32_t cost;     /* of the first: 0 */
};

struct deviation_rule {
    void *(*create)(unsigned ranks); /* its own memory, for the others */
    void (*destroy)(void *self);
    void (*begin)(void *self); /* the next ordering begins */
    /* Fills `candidate`, which has room for choice->count; at least one. */
    size_t (*rate)(void *self, const struct strategy_choice *choice, struct candidate *candidate);
    /* The candidate `taken` is taken. */
    void (*take)(void *self, const struct strategy_choice *choice, const struct candidate *candidate, size_t taken);
};

struct deviations;
struct deviations *deviations_create(const struct deviation_rule *rule, unsigned ranks);
void deviations_destroy(void *deviations);
bool deviations_begin(void *deviations);
size_t deviations_choose(void *deviations, const struct strategy_choice *choice);
uint64_t deviations_memory(const void *deviations);

#endif
