/* Optimal reduction against all orderings of the same model. */
#ifndef TESTS_POR_CLASSES_H
#define TESTS_POR_CLASSES_H

#include "explorer/orderings/inequivalent.h"

struct classes_comparison {
    bool compared;          /* there were not too many orderings, and the model was not surprised */
    uint64_t classes;       /* of orderings that end, by taking every event in every state */
    const char *difference; /* NULL: none */
};

/* The classes of equivalent orderings that end must be those that are met by taking every event in every state, if nothing fails, and something must fail if something fails there. `exactly`: if nothing fails or goes round, each class must be explored
 * once, and none begun in vain. `how`: ranks, model and steps; `most`: orderings. */
struct classes_comparison classes_compare(const struct inequivalent *how, bool exactly, uint64_t most);

#endif
