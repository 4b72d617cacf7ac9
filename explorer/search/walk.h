/* One ordering, walked with the model and the steps and nothing else: no graph, no findings. For those who need to see how an
 * ordering goes, or who decide it themselves.
 *
 * Determined moves are made until none is left, then somebody takes one of the model's transitions, and so on: the same
 * states as those that a search meets. */
#ifndef EXPLORER_WALK_H
#define EXPLORER_WALK_H

#include "explorer/steps/step_source.h"

struct walk {
    unsigned ranks;
    struct mpi_model *model;
    const struct step_source *steps;
    uint32_t *state;
    const struct resolution **ready; /* by rank, within one round of determined moves */
    struct transition_list offered;  /* see walk_offered */
    bool ended_badly;                /* a rank failed, or a rule of MPI was broken */
    size_t moves;
    /* Called, if not NULL, before a transition is taken, and after each step of a rank. */
    void (*taking)(void *context, const struct walk *walk, const struct transition *transition);
    void (*stepped)(void *context, const struct walk *walk, unsigned rank, const struct resolution *answer,
                    const struct step_result *result);
    void *context;
};

enum walk_end {
    WALK_QUIET,   /* nothing is determined: see the transitions */
    WALK_FAULT,   /* a rank failed or broke a rule, and the others have come as far as they could without a decision */
    WALK_ENDLESS, /* determined moves without an end */
    WALK_STOPPED, /* the step source has stopped, or a rank was refused */
};

/* Fill in ranks, model, steps and the callbacks before; `state` is allocated. */
void walk_begin(struct walk *walk);
void walk_free(struct walk *walk);
enum walk_end walk_determined(struct walk *walk);
/* The transitions of the present state, valid until the next call. */
size_t walk_offered(struct walk *walk, const struct transition **list);
/* Takes a transition of the present state, and what is then determined. */
enum walk_end walk_take(struct walk *walk, const struct transition *transition);
/* Follows these transitions, one wherever the walk becomes quiet; stops after the first `most` of them that are decisions. */
enum walk_end walk_along(struct walk *walk, const struct transition *list, size_t count, size_t most);

/* Is taking one of `choices` transitions a decision, as orderings list them? */
bool walk_is_decision(const struct transition *transition, size_t choices);
bool walk_all_ended(const struct walk *walk);

#endif
