/* Reductions by classes of equivalent orderings against all orderings of the same model. */
#ifndef TESTS_POR_CLASSES_H
#define TESTS_POR_CLASSES_H

#include "explorer/orderings/inequivalent.h"

struct classes_comparison {
    bool compared;          /* there were not too many orderings, and the model was not surprised */
    uint64_t classes;       /* of orderings that end, by taking every event in every state */
    uint64_t states;        /* of the graph that the reversal of races makes within persistent sets */
    bool goes_round;        /* in that graph, without a way out */
    bool ends;              /* nothing fails or is cut there */
    const char *difference; /* NULL: none */
};

/* Optimal reduction: the classes of equivalent orderings that end must be those that are met by taking every event in every state, if
 * nothing fails, and something must fail if something fails there. If nothing fails or goes round, each class must be explored once, and
 * none begun in vain. `how`: ranks, model and steps; `most`: orderings. */
struct classes_comparison classes_compare(const struct inequivalent *how, uint64_t most);

/* The reversal of races with states merged, with persistent sets (of a model that is new) and without: the local states in which ranks are
 * where orderings end must be those that are met by taking every event in every state. Those of the last `servers` do not matter: they
 * are served in any order if that makes no difference to others. */
struct classes_comparison classes_compare_merged(const struct inequivalent *how, unsigned servers, uint64_t most);

#endif
