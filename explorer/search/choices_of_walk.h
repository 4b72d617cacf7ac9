/* Orderings in two languages: as the transitions that a walk takes, and as what each rank chose, by rank, in the order of its own
 * calls (models/mpi/enforce/choices.h). The second needs no model: it is what a run under real MPI can be held to, and what it
 * can record. */
#ifndef EXPLORER_CHOICES_OF_WALK_H
#define EXPLORER_CHOICES_OF_WALK_H

#include "explorer/search/walk.h"
#include "models/mpi/enforce/choices.h"

/* --- from a walk to choices --- */

/* Set as the `context` of a walk, with these two callbacks. */
struct choice_collector {
    struct choices *rank; /* one for each; to be freed by choices_of_ranks_free */
    bool buffered;        /* sends are buffered unless the walk says something else: BUFFERING_INFINITE */
    struct asked **asked; /* own: operations and calls without an answer, by rank */
    size_t *asked_count, *asked_room;
};

void choice_collector_begin(struct choice_collector *collector, unsigned ranks, enum buffering buffering);
void choice_collector_taking(void *collector, const struct walk *walk, const struct transition *transition);
void choice_collector_stepped(void *collector, const struct walk *walk, unsigned rank, const struct resolution *answer,
                              const struct step_result *result);
/* Frees what is its own; the choices stay. */
void choice_collector_end(struct choice_collector *collector, unsigned ranks);
void choices_of_ranks_free(struct choices *rank, unsigned ranks);

/* --- from choices to a walk --- */

/* This is also all that a search needs that wants to begin with a recorded ordering: at each of its states it asks
 * choice_guide_pick for the transition that the recording would take. The guide must be told of everything that happens (the
 * two callbacks), as it counts the operations and calls of each rank. */
struct choice_guide {
    struct choice_collector seen;    /* what this walk has come to so far */
    const struct choices *wanted;    /* of each rank */
    char sentence[256];              /* why nothing was picked; "" if the recording just ends here */
    bool over;                       /* the recording of a rank that was asked ends here */
    const struct choice_made *unmet; /* what a rank chose that was asked and cannot have it, NULL: none */
    unsigned unmet_rank;
};

void choice_guide_begin(struct choice_guide *guide, unsigned ranks, enum buffering buffering, const struct choices *wanted);
void choice_guide_end(struct choice_guide *guide, unsigned ranks);
/* The index among `list`, the model's transitions of `state`, of one that agrees with what the ranks chose; where MPI alone
 * decides (whether a send without a word is buffered, whether a collective is left early) only if nothing else does. `count` if
 * there is none. */
size_t choice_guide_pick(struct choice_guide *guide, const struct mpi_model *model, const uint32_t *state,
                         const struct transition *list, size_t count);

#endif
