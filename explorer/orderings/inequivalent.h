/* One ordering of each class of equivalent ones (por/optimal.h), over the model and the steps: no graph, and no state is kept.
 *
 * Equivalent are orderings in which each rank is answered the same, call by call. What is determined happens at once, as in a
 * search; a rank's events are told apart by all that it has been answered before. The model must buffer all sends or none: what may
 * happen, but need not, is no event. */
#ifndef EXPLORER_INEQUIVALENT_H
#define EXPLORER_INEQUIVALENT_H

#include "explorer/search/search.h"
#include "por/optimal.h"

struct inequivalent {
    unsigned ranks;          /* agents included */
    struct mpi_model *model; /* not of BUFFERING_ALL */
    const struct step_source *steps;
    /* Called where an ordering ends: its decisions are transitions only, and valid during the call. `state`: the components there.
     * `answers`: a hash of what every rank has been answered. False: stop. */
    bool (*ended)(void *context, enum optimal_end end, const struct ordering *ordering, const uint32_t *state,
                  uint64_t answers);
    void *context;
    /* optimal_explore, or what is to be compared with it. */
    bool (*explore)(const struct event_system *system, const void *initial, const struct optimal_listener *listener,
                    struct optimal_counts *counts);
    struct optimal_counts counts; /* kept up to date */
};

/* Why the model's transitions do not keep the contract of events (por/event_system.h): part of a sentence; NULL: they do. Known once the
 * program has done what is not expected of it; the model is surprised then, and whoever asked has to explore again. */
const char *inequivalent_unsuited(const struct mpi_model *model);
/* Explores all of them. False: it was stopped, by `ended` or by the step source, or because a rank was refused. */
bool inequivalent_run(struct inequivalent *inequivalent);

#endif
