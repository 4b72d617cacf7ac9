/* What the parts of the search share; nobody else includes this.
 *
 *     search.c            visits states, keeps budgets, follows an ordering
 *     search_moves.c      determined moves: from a decision to the next state where one is to be made
 *     search_findings.c   turns what was met into findings
 *     witness.c           orderings from the graph
 */
#ifndef EXPLORER_SEARCH_PARTS_H
#define EXPLORER_SEARCH_PARTS_H

#include "explorer/graph.h"
#include "explorer/search.h"
#include "explorer/search_frontier.h"
#include "por/persistent.h"

/* An error met while moving. */
struct fault {
    uint16_t rank;
    const struct step_result *result; /* the step that ended badly; NULL: `violation` holds */
    struct violation violation;
};

/* The transitions offered in a state, and which of them the search takes. The arrays are reused from state to state. */
struct offer {
    struct transition *transition;
    uint32_t *chosen;          /* positions, ascending */
    size_t count, chosen_count;
    size_t reference;          /* position of the default, or REFERENCE_NONE */
    size_t room, chosen_room;
};

/* A finding and what makes it distinct. */
struct known_finding {
    uint64_t key;
    struct finding finding;
};

/* A distinct way of ending well. */
struct outcome {
    uint64_t hash;
    uint32_t node;
};

struct search {
    unsigned ranks;
    struct mpi_model *model;
    const struct step_source *steps;
    struct search_options options;
    const volatile bool *interrupt;
    void (*progress)(void *context, const struct search_statistics *statistics);
    uint64_t (*memory_used)(void *context);
    void *context;

    struct graph *graph;
    struct frontier *frontier;
    struct persistent *persistent;
    struct search_statistics statistics;

    /* Scratch. */
    uint32_t *here; /* the state being visited, settled */
    uint32_t *there; /* states reached from it: one for each transition taken */
    size_t there_room;
    struct offer offer;
    const struct resolution **ready; /* of each rank, within one round of determined moves */
    struct fault *fault;             /* met since moves_begin */
    size_t faults, fault_room;

    bool stopped;
    enum search_end end; /* stopped: why */
    char *refusal;
    double started, last_check, last_progress;

    struct finding *finding;
    uint64_t *finding_key;
    size_t findings, finding_room, key_room;
    struct outcome *outcome;
    size_t outcomes, outcome_room;
    uint64_t *outcome_list; /* for search_outcomes */

    /* While following an ordering. */
    bool following;
    struct ordering trail; /* the decisions taken so far */
    size_t trail_room;
    uint32_t *end_locals;
    void (*event)(void *context, const struct decision *decision);
    void *event_context;
};

/* Ends the search; only the first reason counts. */
void search_stop(struct search *search, enum search_end end);
/* Looks at interrupt and budgets, and reports progress when it is time. Cheap. True: the search is stopped. */
bool search_must_stop(struct search *search);

enum move_end {
    MOVE_QUIET,      /* nothing is determined any more */
    MOVE_UNFINISHED, /* still going after MOVE_CHAIN_LIMIT steps */
    MOVE_FAULT,      /* search->fault holds what happened */
    MOVE_STOPPED,    /* search->stopped */
};

enum { MOVE_CHAIN_LIMIT = 4096 };

/* Takes a transition that answered its owner, in two halves: what moves_open returns lives until moves_open is called again for the
 * same slot, so that several transitions can be opened, and their steps wanted, before the first is closed. */
struct opening {
    struct resolution *answer; /* a copy; NULL: the owner goes on waiting */
    size_t room;
    uint16_t rank;
    bool answered, broken;
    struct violation violation;
};
void moves_open(struct search *search, uint32_t *state, const struct transition *transition, struct opening *opening);
/* The step opened, if any, and all determined moves after it. */
enum move_end moves_close(struct search *search, uint32_t *state, const struct opening *opening);
/* All determined moves of a state. */
enum move_end moves_determined(struct search *search, uint32_t *state);

#endif
