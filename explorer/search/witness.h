/* Orderings: how a state is reached, as the decisions that lead to it. */
#ifndef EXPLORER_WITNESS_H
#define EXPLORER_WITNESS_H

#include "explorer/search/search_parts.h"

/* Whether taking this transition in a state with `choices` of them is a decision, so that orderings list it. */
static inline bool is_decision(const struct transition *transition, size_t choices) {
    return choices > 1 || transition->miss || transition->optional;
}

bool transition_equal(const struct transition *a, const struct transition *b);

/* The decision that takes `choice` of the model's transitions in `state`. */
struct decision decision_of(const struct search *search, const uint32_t *state, const struct transition *list, size_t count,
                            size_t choice, bool differs);

/* The ordering that leads to a place in the trail; its decisions are the caller's to free. */
struct ordering ordering_to(struct search *search, uint32_t at);
struct ordering ordering_copy(const struct ordering *ordering);

#endif
