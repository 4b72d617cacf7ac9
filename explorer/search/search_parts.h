/* What the parts of the search share; nobody else includes this.
 *
 *     search.c            what a state offers, budgets, the search's life
 *     search_visit.c      visits one state: takes its transitions
 *     search_symmetry.c   when interchangeable ranks are not told apart
 *     search_ahead.c      which steps the states to be visited next will need
 *     search_run.c        visits all states, layer by layer, with one worker or several; restarts
 *     search_saved.c      how far the search is, in a file
 *     search_cycles.c     cycles that nothing leads out of
 *     search_follow.c     follows one ordering
 *     search_reference.c  a recorded ordering as the reference
 *     search_moves.c      determined moves: from a decision to the next state where one is to be made
 *     search_findings.c   turns what was met into findings; search_messages.c: their sentences
 *     search_count.c      how many orderings the graph stands for
 *     search_estimate.c   how much of it has been met
 *     witness.c           orderings from the trail
 */
#ifndef EXPLORER_SEARCH_PARTS_H
#define EXPLORER_SEARCH_PARTS_H

#include "explorer/containers/number_set.h"
#include "explorer/containers/search_storage.h"
#include "explorer/search/search.h"
#include "explorer/search/search_layers.h"
#include "explorer/search/search_trail.h"
#include "explorer/search/symmetry.h"
#include "por/persistent.h"

#include <pthread.h>
#include <stdatomic.h>

/* An error met while moving. */
struct fault {
    uint16_t rank;
    const struct step_result *result; /* the step that ended badly; NULL: `violation` holds */
    struct violation violation;
    struct where entered; /* how another rank came into the collective that the step ended in; no function: not known */
};

/* The transitions offered in a state, and which of them are worth exploring. Reused from state to state. */
struct offer {
    const struct transition *transition;
    uint32_t *chosen; /* positions, ascending */
    size_t count, chosen_count;
    size_t reference; /* position of the default, or REFERENCE_NONE */
    struct transition_list list;
    size_t chosen_room;
    bool tentative; /* nothing that it leaves out is left out because of it */
    struct persistent *persistent;
};

/* A transition taken whose step has not been asked for yet. */
struct opening {
    bool answered; /* its owner got `answer`: its step is next */
    struct transition transition;
    struct resolution *answer; /* a copy, reused */
    size_t room;
    struct violation violation; /* class_name NULL: none */
};

/* A distinct way of ending well. */
struct outcome {
    uint64_t hash;
    uint32_t trail; /* TRAIL_NONE: met without a trail */
};

/* A state reached by one transition. */
struct reached {
    state_name name;
    enum state_kind kind;
    bool open; /* not remembered: to be done the long way */
};

/* What a recorded ordering does in a state on its way. */
struct recorded_move {
    uint64_t state; /* hash */
    size_t at;      /* how far the recording is */
    struct transition transition;
};

/* options.reference, walked. */
struct recorded {
    struct recorded_move *move; /* by state, each once */
    size_t moves, room;
    struct number_set choice; /* hashes of what each rank chose, and in which component */
};

/* A copy of the model's answer: that lasts only as long as nobody else asks, which may happen whenever a step is waited for. */
struct answer {
    struct resolution *resolution;
    size_t room;
    bool given;
};

/* The states that a worker is going to visit soon. When steps are missing it looks ahead, to see which others will be missed. */
struct ahead {
    const state_name *name;
    size_t at, end;      /* of those to be looked at next */
    size_t beyond, most; /* of those of the next layer, if the worker is alone */
    uint32_t *state, *there;
    struct offer offer;
    struct opening opening;
};

/* Who visits states. The first one works alone whenever the others have nothing to do. */
struct worker {
    struct search *search;
    struct offer *offer;
    struct state_cache *cache;
    uint32_t *here;  /* the state being visited, settled */
    uint32_t *there; /* the states reached from it, one for each transition taken */
    struct reached *reached;
    size_t there_room, reached_room;
    struct ahead ahead;
    /* Scratch for moves that are not remembered. */
    struct opening *opening; /* for each transition taken */
    size_t opening_room;
    struct answer *answer; /* by rank, within one round of determined moves */
    struct fault *fault;   /* met in the last determined moves */
    size_t faults, fault_room;

    size_t allowance;                 /* states that it may still add before it looks again */
    _Atomic size_t held;              /* bytes of the next two */
    struct layer next, later;         /* states to be visited in the next layer of this level, and of the next level */
    struct layer left;                /* states taken and not visited */
    struct search_statistics counted; /* since it was last added to the search's */
    pthread_t thread;
    char apart[CACHE_LINE]; /* from the next one */
};

/* The layer that several workers visit together. */
struct shift {
    pthread_mutex_t mutex; /* guards the rest, `taken` apart */
    pthread_cond_t begins, ends;
    unsigned number; /* of the shift; workers wait for the next one */
    unsigned working;
    bool over; /* no more shifts */
    struct layer *layer;
    char apart[CACHE_LINE];
    _Atomic size_t taken; /* states of the layer given out */
    _Atomic bool crowded; /* the set of states needs room before it goes on */
};

/* What interchangeable ranks are used for. */
enum symmetry_use {
    SYMMETRY_NOT_YET,
    SYMMETRY_LEARNT, /* steps are told to it */
    SYMMETRY_USED,   /* states are changed to their images; without a trail */
    SYMMETRY_OVER,
};

struct search {
    unsigned ranks;           /* agents included */
    unsigned program_ranks;   /* without */
    int agents_wanted;        /* SEARCH_AGENTS */
    const char *place_wanted; /* likewise; the step table's */
    struct mpi_model *model;
    const struct step_source *steps;
    struct search_options options;
    const volatile bool *interrupt;
    void (*progress)(void *context, const struct search_statistics *statistics);
    uint64_t (*memory_used)(void *context);
    void *context;

    struct state_set *states;
    size_t reshape_at; /* states from which on the set's tree is fitted again */
    struct layers layers;
    struct trail trail;
    bool blind;                /* without a trail: nothing can be reported */
    bool suspicious;           /* blind, and something is to be reported */
    bool glimpsed;             /* it was, and that has to be found again, with its ordering */
    bool sharing;              /* several workers are visiting states */
    bool sighted;              /* never to be blind again */
    size_t aside_bytes;        /* of those who walk over the graph */
    _Atomic bool reduced;      /* a state was visited whose transitions were not all taken */
    bool failed;               /* one was after which a rank had failed, and it goes on */
    bool loaded;               /* search_load has put it where it is */
    bool pretends;             /* blind only because it was loaded */
    bool steady;               /* goes the way it went before, whatever has become known since, ... */
    size_t steady_until;       /* ... up to this level */
    bool wary;                 /* assumes more rather than explore again */
    struct symmetry *symmetry; /* of its ranks; NULL: nothing is known of it */
    enum symmetry_use symmetry_use;
    bool turns;     /* to begin again with another use of it */
    unsigned again; /* times that a graph was explored again */
    uint64_t hoped; /* the states of those */
    struct search_statistics statistics;

    char apart[CACHE_LINE];
    _Atomic size_t counted_states; /* all but unfinished ones */
    char apart_too[CACHE_LINE];

    struct worker *worker;
    unsigned workers;
    unsigned hired;     /* workers that can be had */
    size_t shared_from; /* states of a layer that are worth waking them for, */
    size_t helping;     /* and that each takes at a time */
    struct shift shift;
    /* Model, steps and what follows are for whoever holds it. */
    pthread_mutex_t lock;

    struct offer *offer; /* the first worker's */

    _Atomic bool stopped;
    enum search_end end; /* stopped: why */
    char *refusal;
    double started, checked, reported; /* seconds of the monotonic clock */
    double reference_ended;            /* likewise; 0: it has not */
    uint64_t reference_deliveries;

    struct finding *finding;
    size_t findings, finding_room;
    bool goal_reached;
    struct ordering goal_ordering;
    struct outcome *outcome; /* the first is the reference */
    size_t outcomes, outcome_room;
    uint32_t *first_end; /* the state of the first outcome */
    struct recorded recorded;
    uint64_t *outcome_list; /* for search_outcomes */

    /* While following an ordering. */
    bool following;
    bool came_to_end;         /* the ordering followed: all its ranks have ended */
    struct ordering followed; /* the decisions taken so far */
    size_t followed_room;
    struct ordering first_followed; /* that ended well; options.compare */
    uint32_t *end_locals;
    void (*event)(void *context, const struct decision *decision);
    void *event_context;
};

/* search.c: ends the search; only the first reason counts. */
void search_stop(struct search *search, enum search_end end, const char *refusal);
/* Seconds of the monotonic clock, coarsely. */
double search_clock(void);
/* Looks at interrupt and budgets, and reports progress when it is time. Cheap. True: the search is stopped. For the holder of
 * the lock. */
bool search_must_stop(struct search *search);
/* Does the budget allow for so many bytes more? For the holder of the lock. */
bool search_has_memory_for(struct search *search, uint64_t bytes);
/* Makes room for so many states more. False: there is no memory for it, and the search is stopped. For one who is alone. */
bool search_make_room(struct search *search, size_t states);
/* The initial state: every rank has just begun. */
void search_initial(struct search *search, uint32_t *state);
/* Fills the offer for a settled state in which no rank is ready. */
void search_offer(const struct search *search, struct offer *offer, const uint32_t *state);
/* The same for a state within a chain of determined moves, which it settles: chosen are the transitions of the ranks that are not
 * ready. Going on with the chain, which is none of them, is the default. */
void search_offer_within_chain(struct search *search, struct offer *offer, uint32_t *state);
/* Only the transitions, without choosing any. */
void search_list(const struct search *search, struct offer *offer, const uint32_t *state);
void offer_choose_all(struct offer *offer);
bool offer_has_promised(const struct offer *offer); /* a transition that is not optional */
/* All ranks have ended, and the offer, which must be of this state, is empty: a request that nobody waits for may still be
 * matched after its rank has ended. */
bool search_at_end(const struct search *search, const struct offer *offer, const uint32_t *state);

/* search_reference.c. Walks options.reference, if there is one; stops the search if the program departs from it. */
void reference_walk(struct search *search);
void reference_forget(struct search *search);
/* Changes what the reference does in a state, and what is chosen there, to what was recorded. */
void reference_prefer(const struct search *search, struct offer *offer, const uint32_t *state);

/* search_visit.c. Visits a state, unless somebody did before: takes the transitions that the reduction asks for, and pushes the
 * states reached to the worker's layers. */
void search_visit(struct worker *worker, state_name name, uint32_t trail);
/* Takes those transitions of a visited state that have not been taken. */
void search_complete(struct worker *worker, state_name name, uint32_t trail);
/* Where the transitions lead that were, or are to be, taken in a state: names, and whether what leads there is optional. Valid
 * until the next call for the same worker. */
struct successor {
    state_name name;
    bool optional;
};
struct successors {
    struct successor *item;
    size_t count, room;
};
void search_successors(struct worker *worker, state_name name, struct successors *successors);

/* search_ahead.c. Has the worker look ahead over names from `at` to before `end`, next time that steps are missing. */
void ahead_set(struct ahead *ahead, const state_name *name, size_t at, size_t end);
void ahead_look(struct worker *worker);
/* A layer begins after another one. */
void ahead_begin(struct worker *worker, const struct layer *layer);

/* search_symmetry.c. Between layers: may have the search begin again, which search->turns says then. */
void symmetry_consider(struct search *search);
/* All states have been visited: is it proved by those that were not told apart? If not, the search is stopped. */
bool symmetry_fails(struct search *search);
/* What it rests on does not hold, or the search must stop anyway. */
void symmetry_breaks(struct search *search);
/* Not used any longer, as something is to be reported. */
void symmetry_give_up(struct search *search);
/* A state is about to be named. */
static inline void symmetry_change_used(struct search *search, uint32_t *state, enum state_kind kind) {
    if (kind == STATE_QUIET && search->symmetry_use == SYMMETRY_USED)
        symmetry_change(search->symmetry, state);
}

/* search_cycles.c. Deals with the cycles that have no way out: their states are explored completely, and if they were before, the
 * cycle is a livelock. True if the search has to go on. */
bool search_open_cycles(struct search *search);

/* States that a worker may add between two looks at whether there is room for that, and that a visit may add. */
enum { SEARCH_ALLOWANCE = 8192, SEARCH_WIDTH = 4096 };

enum move_end {
    MOVE_QUIET,      /* nothing is determined any more */
    MOVE_UNFINISHED, /* still going after MOVE_CHAIN_LIMIT steps */
    MOVE_FAULT,      /* worker->fault holds what happened */
    MOVE_STOPPED,    /* search->stopped */
};

enum { MOVE_CHAIN_LIMIT = 4096 };

/* search_moves.c. A transition is taken in two halves, so that several can be opened, and their steps wanted, before the first is
 * closed. Closing does the step opened, if any, and all determined moves after it. For the holder of the lock, which is let go of
 * while a step is waited for. */
void moves_open(struct search *search, uint32_t *state, const struct transition *transition, struct opening *opening);
enum move_end moves_close(struct worker *worker, uint32_t *state, const struct opening *opening);
/* All determined moves of a state. */
enum move_end moves_determined(struct worker *worker, uint32_t *state);
/* Has a rank ended in this state otherwise than it ought to? */
bool search_has_failed(const struct search *search, const uint32_t *state);

/* search_findings.c. `trail` is where the finding shows; TRAIL_NONE while following (search->followed is the witness). In a
 * blind search they only make it suspicious. */
void report_faults(struct worker *worker, uint32_t trail);                          /* those of its last moves */
void report_deadlock(struct search *search, const uint32_t *state, uint32_t trail); /* search->offer: of this state */
void report_livelock(struct search *search, const uint32_t *state, uint32_t trail); /* search->offer: of this state */
void report_end(struct search *search, const uint32_t *state, uint32_t trail);
/* Did the rank end as it did in the first state in which all ended well? */
bool search_ended_alike(const struct search *search, unsigned rank, uint32_t local, const struct step_result *result);
/* Would report_end find something? */
bool search_end_fails(const struct search *search, const uint32_t *state);
void report_glimpse(struct search *search); /* blind: something is to be reported, and looked for with a trail */
void findings_clear(struct search *search); /* forgets all of them, and the outcomes */

/* search_messages.c: sentences, the caller's to free. */
char *message_of_fault(const struct fault *fault);
/* Does a rank wait for its own window's agent? */
bool waits_for_own_agent(struct search *search, const uint32_t *state);
char *message_of_deadlock(struct search *search, const uint32_t *state);
char *message_of_livelock(struct search *search, const uint32_t *state);
char *message_of_leak(unsigned rank, uint32_t leaked);
char *message_of_handle_leak(unsigned rank, uint32_t leaked, const char *kind);
char *message_of_unreceived(const struct where *where, size_t wheres, const struct operation *first);
char *message_of_half_epoch(const struct where *where, size_t wheres, const struct operation *first);
char *message_of_freed_receive(const struct where *where, size_t wheres, const struct operation *first);
char *message_of_race(unsigned rank);
char *message_of_state_race(const struct search *search, const struct finding *finding); /* finding->difference: set */

#endif
