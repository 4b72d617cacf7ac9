/* The model and the steps as events of orderings (por/event_system.h): for one ordering of each class of equivalent ones
 * (por/optimal.h), where no state is kept, or for a graph that the reversal of races makes (por/source_sets.h).
 *
 * Equivalent are orderings in which each rank is answered the same, call by call. What is determined happens at once, as in a
 * search. A rank's events are told apart by all that it has been answered before; where states are merged, by its local state
 * and how often it has been answered since the state that is looked at. The model must buffer all sends or none: what may happen, but
 * need not, is no event. */
#ifndef EXPLORER_INEQUIVALENT_H
#define EXPLORER_INEQUIVALENT_H

#include "explorer/search/search.h"
#include "por/ordering_listener.h"

struct inequivalent {
    unsigned ranks;          /* agents included */
    struct mpi_model *model; /* not of BUFFERING_ALL */
    const struct step_source *steps;
    /* Called where an ordering ends: its decisions are transitions only, and valid during the call. `state`: the components there.
     * `answers`: a hash of what every rank has been answered. False: stop. */
    bool (*ended)(void *context, enum ordering_end end, const struct ordering *ordering, const uint32_t *state,
                  uint64_t answers);
    void *context;
    /* optimal_explore or, if states are merged, source_sets_explore; or what is to be compared with them. */
    explore_orderings *explore;
    bool merged; /* states are */
    /* And no more is taken than a persistent set, by what ranks are assumed to do (mpi_model_assume). */
    bool persistent;
    struct ordering_counts counts; /* kept up to date; of the last time that all was explored */
    /* Why events could not be told apart: part of a sentence, set by inequivalent_run, after which nothing is proved. */
    const char *untold;
};

/* Why the model's transitions do not keep the contract of events (por/event_system.h): part of a sentence; NULL: they do. Known once the
 * program has done what is not expected of it; the model is surprised then, and whoever asked has to explore again. */
const char *inequivalent_unsuited(const struct mpi_model *model);
/* Explores all of them; again, from the beginning, if ranks do more than was assumed, or have more receives at a time than there was room
 * for. False: it was stopped, by `ended` or by the step source, or because a rank was refused. */
bool inequivalent_run(struct inequivalent *inequivalent);

#endif
