/* What the parts of the search share; nobody else includes this.
 *
 *     search.c            visits states, keeps budgets
 *     search_follow.c     follows one ordering
 *     search_moves.c      determined moves: from a decision to the next state where one is to be made
 *     search_findings.c   turns what was met into findings; search_messages.c: their sentences
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

/* The transitions offered in a state, and which of them are worth exploring. The arrays are reused from state to state. */
struct offer {
    struct transition *transition;
    uint32_t *chosen; /* positions, ascending */
    size_t count, chosen_count;
    size_t reference; /* position of the default, or REFERENCE_NONE */
    size_t room, chosen_room;
};

/* A transition taken whose step has not been asked for yet. */
struct opening {
    bool answered; /* the owner got `answer`: its step is next */
    uint16_t owner;
    struct resolution *answer; /* a copy, reused */
    size_t room;
    struct violation violation; /* class_name NULL: none */
};

/* A distinct way of ending well. */
struct outcome {
    uint64_t hash;
    uint32_t node;
};

struct search {
    unsigned ranks;         /* agents included */
    unsigned program_ranks; /* without */
    int agents_wanted;      /* SEARCH_AGENTS */
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
    uint32_t *here;          /* the state being visited, settled */
    uint32_t *there;         /* the states reached from it, one for each transition taken */
    struct opening *opening; /* and how each was opened */
    size_t there_room, opening_room;
    struct offer offer;
    uint32_t *chain_start; /* the state at the start of a chain of determined moves, */
    uint32_t *late_state;  /* and while it is tried in another order */
    const struct resolution **ready; /* by rank, within one round of determined moves */
    struct fault *fault;             /* met in the last determined moves */
    size_t faults, fault_room;

    bool stopped;
    enum search_end end; /* stopped: why */
    char *refusal;
    double started, checked, reported; /* seconds of the monotonic clock */

    struct finding *finding;
    uint64_t *finding_key;
    size_t findings, finding_room, key_room;
    struct outcome *outcome; /* the first is the reference */
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

/* search.c: ends the search; only the first reason counts. */
void search_stop(struct search *search, enum search_end end, const char *refusal);
/* Looks at interrupt and budgets, and reports progress when it is time. Cheap. True: the search is stopped. */
bool search_must_stop(struct search *search);
/* The initial state: every rank has just begun. */
void search_initial(struct search *search, uint32_t *state);
/* Fills search->offer for a settled state in which no rank is ready. */
void search_offer(struct search *search, const uint32_t *state);
/* The same for a state within a chain of determined moves, which it settles: chosen are the transitions of the ranks that are not
 * ready. Going on with the chain, which is none of them, is the default. */
void search_offer_within_chain(struct search *search, uint32_t *state);
bool offer_has_promised(const struct offer *offer); /* a transition that is not optional */
/* All ranks have ended, and search->offer, which must be of this state, is empty: a request that nobody waits for may still be
 * matched after its rank has ended. */
bool search_at_end(const struct search *search, const uint32_t *state);

enum move_end {
    MOVE_QUIET,      /* nothing is determined any more */
    MOVE_UNFINISHED, /* still going after MOVE_CHAIN_LIMIT steps */
    MOVE_FAULT,      /* search->fault holds what happened */
    MOVE_STOPPED,    /* search->stopped */
};

enum { MOVE_CHAIN_LIMIT = 4096 };

/* search_moves.c. A transition is taken in two halves, so that several can be opened, and their steps wanted, before the first is
 * closed. Closing does the step opened, if any, and all determined moves after it. */
void moves_open(struct search *search, uint32_t *state, const struct transition *transition, struct opening *opening);
enum move_end moves_close(struct search *search, uint32_t *state, const struct opening *opening);
/* All determined moves of a state. */
enum move_end moves_determined(struct search *search, uint32_t *state);

/* search_findings.c. `node` is where the finding shows; GRAPH_NONE while following (the trail is the witness). */
void report_faults(struct search *search, uint32_t node);
void report_deadlock(struct search *search, const uint32_t *state, uint32_t node); /* search->offer: of this state */
void report_livelock(struct search *search, const uint32_t *state, uint32_t node); /* search->offer: of this state */
void report_end(struct search *search, const uint32_t *state, uint32_t node);
void findings_free(struct search *search);

/* search_messages.c: sentences, the caller's to free. */
char *message_of_fault(const struct fault *fault);
/* Does a rank wait for its own window's agent? */
bool waits_for_own_agent(struct search *search, const uint32_t *state);
char *message_of_deadlock(struct search *search, const uint32_t *state);
char *message_of_livelock(struct search *search, const uint32_t *state);
char *message_of_leak(unsigned rank, uint32_t leaked);
char *message_of_handle_leak(unsigned rank, uint32_t leaked, const char *kind);
char *message_of_unreceived(const struct where *where, size_t wheres, const struct operation *first);
char *message_of_race(unsigned rank);
char *message_of_state_race(const struct search *search, const struct finding *finding); /* finding->difference: set */

#endif
