/* The search over the global state graph: visits states in the order of how many of their decisions differ from the reference
 * ordering, so that the first ordering found for a finding is a minimal one. Knows the model and a step source, and nothing of
 * processes, files or terminals. */
#ifndef EXPLORER_SEARCH_H
#define EXPLORER_SEARCH_H

#include "explorer/steps/step_source.h"
#include "models/mpi/model.h"

struct choices;

/* What to look for: then nothing else is reported, and the search ends at the first ordering that comes to it. Such a search takes
 * over what the one before it assumed of ranks (mpi_model_assume), so that the reference ordering stays the same; if it finds
 * nothing, that proves something if the assumptions were enough, or without reduction. */
struct search_goal {
    uint64_t finding; /* the key of a finding; 0: an end */
    uint64_t outcome; /* with this outcome, */
    bool other;       /* or with any but this one */
};

struct search_options {
    enum buffering buffering;
    bool keep_going; /* collect every distinct finding instead of ending at the first */
    /* ... but end at the first of which this is true; NULL: at none. */
    bool (*is_enough)(const void *context, const char *class_name);
    const void *enough_context;
    unsigned agents;    /* of the ranks, the last so many are agents: part of no finding or outcome, and they never end */
    int agents_kind;    /* enum agents: what they can do */
    const char *places; /* of shared windows (places.h); NULL: none. Must outlive the search */
    bool compare; /* search_follow is called for many orderings: their outcomes are compared, and what is found is told once */
    bool no_reduction;     /* visit every state: for tests of the reduction */
    double seconds;        /* budgets; 0: none */
    uint64_t memory_bytes; /* compared with memory_used() */
    uint64_t states;
    unsigned
        workers; /* threads that visit states; 0: one. Verdict, findings and the counts of a complete search do not depend on it */
    const struct choices
        *reference; /* what each rank chose in a recorded run, which is the reference ordering then; NULL: none */
    /* States from which on several workers explore together, without a trail, and then each takes one at a time: for tests. 0: a good
     * number, and many at a time. */
    size_t blind_from;
    const struct search_goal *goal; /* NULL: report whatever is found */
    size_t symmetric_from; /* states from which on interchangeable ranks are looked for; 0: a good number, if it seems to be
                              worthwhile; SIZE_MAX: never */
    unsigned levels;       /* only orderings with fewer differing decisions than this are searched, and no livelocks; 0: all */
    const uint32_t *root;  /* begin in this state of the model instead of where all ranks begin; NULL: do not */
    /* Called, if not NULL, for each distinct state at which all ranks have ended well, with each rank's local state: for tests.
     * Not in a graph that does not tell ranks apart, whose states need not be the program's. */
    void (*terminal)(void *context, const uint32_t *locals);
    void *terminal_context;
    /* Called, if not NULL, now and then at a moment at which search_save would write something of use. */
    void (*pause)(void *context);
    void *pause_context;
};

/* One decision of an ordering: the transition taken where there was a choice. A miss and an optional transition are
 * decisions even if nothing else was offered. */
struct decision {
    struct transition transition;
    struct transition_story story;
    uint32_t choice, choices; /* its index among the state's transitions, and their number */
    bool differs;             /* not what the reference ordering would do */
    uint32_t local;           /* the local state in which the owner is then; after a step, the one that it reached */
};

struct ordering {
    size_t decisions;
    struct decision *decision;
    bool endless; /* a livelock's: after the decisions nothing optional happens any more, as that may lead out */
};

struct where {
    uint16_t rank;
    uint16_t function; /* enum mpi_function; 0: none */
    uint32_t site;     /* as in struct operation; 0: none */
    bool early;        /* of what is optional: that it is over before others have entered it, not that it is buffered */
};

/* A finding. The classes are those of the JSON report: "deadlock", "livelock", "runaway", "crash", "abort", "exit-status",
 * "race-output", "unreceived-message", "truncation", "collective-mismatch", "request-leak", … */
struct finding {
    char class_name[24];
    char *message; /* one sentence */
    size_t wheres, buffereds, synchronouses;
    struct where *where;       /* the calls concerned, by rank */
    struct where *buffered;    /* standard sends that must be buffered for it to happen */
    struct where *synchronous; /* standard sends and collectives that must not */
    struct ordering witness;
    int agents;                      /* enum agents: with which kind it was found, and its orderings can be followed */
    char *places;                    /* ... and with which places of shared windows; NULL: none */
    struct expectations expected;    /* ... and by which transitions */
    uint64_t key;                    /* equal for findings that are the same: of the class and the calls concerned */
    bool adopted;                    /* from another search */
    bool minimal;                    /* decided: no ordering that shows it has fewer differing decisions; of a race, and no two
                                       orderings that begin like its witness part later */
    bool race;                       /* a difference between two orderings: `other` holds */
    struct ordering other;           /* race: an ordering with another outcome */
    uint64_t outcome, other_outcome; /* race: hashes of the two */
    const struct step_result *step;  /* whose end it is; NULL: no step's. Lives as long as the step source */
    struct {
        uint16_t rank;
        uint32_t local, other_local;
    } difference; /* race: first rank whose outcome differs */
};

enum search_end {
    SEARCH_COMPLETE, /* every ordering covered; with keep_going there may be findings */
    SEARCH_FOUND,    /* stopped at the first finding */
    SEARCH_TIME,
    SEARCH_MEMORY,
    SEARCH_STATES,      /* a budget ended it */
    SEARCH_INTERRUPTED, /* *interrupt became true */
    SEARCH_AGENTS,      /* a rank needs agents that can do more: search_agents_wanted */
    SEARCH_REFUSED,     /* a rank used something unsupported: `refusal` */
    SEARCH_FAILED,      /* the step source returned NULL */
};

struct search_statistics {
    uint64_t states;      /* distinct global states at which a decision or an end was met */
    uint64_t transitions; /* edges between them */
    uint64_t frontier;    /* states waiting */
    uint64_t deliveries;  /* messages received and collectives left, counted when the rank is told; over all edges */
    uint64_t steps;       /* steps asked for: executed or reused */
};

struct search;

/* All pointers must outlive the search. `interrupt`, `progress` (called about ten times a second at most),
 * `memory_used` may be NULL. */
struct search *search_create(unsigned ranks, struct mpi_model *model, const struct step_source *steps,
                             const struct search_options *options, const volatile bool *interrupt,
                             void (*progress)(void *context, const struct search_statistics *statistics),
                             uint64_t (*memory_used)(void *context), void *context);
enum search_end search_run(struct search *search);

/* Writes how far a search is, which has found nothing yet, for another process with the same steps and model (mpi_model_load):
 * called by options.pause. Errors show on the stream. */
void search_save(const struct search *search, FILE *out);
/* Reads it into a search that has not begun: search_run then goes on from there, without a trail; if there is something to report,
 * it begins from the root after all. False: it is not of such a search, which is then of no use. */
bool search_load(struct search *search, FILE *in);

/* To which ranks a rank was found to be interchangeable, in a search that has used it: the lowest of them; itself if to none. */
unsigned search_first_like(const struct search *search, unsigned rank);

/* How many orderings, from the root to where they may end, the graph of a complete search stands for, in decimal digits,
 * malloc'd. It may take so many seconds; 0: as long as it takes. */
struct ordering_count {
    char *
        all; /* "infinite" if the graph has a cycle; NULL: it takes more than the budgets or, unless `patient`, than a moment */
    char *
        failing; /* of them: they end in an error, a deadlock, or otherwise than the first that ended well. NULL: not known, or none */
    bool is_exact; /* else the reduction left some out, and they are more */
};
struct ordering_count search_count_orderings(struct search *search, bool patient, double seconds);

/* How much of its graph a search that was stopped has met: of `orderings` drawn by lot, `covered` lie in it. Takes about `seconds`
 * at most. */
struct search_estimate {
    uint64_t orderings, covered;
};
struct search_estimate search_estimate(struct search *search, double seconds);
/* Of a search that a budget stopped: something to be reported had been met without a trail, and the ordering that leads there was
 * still being looked for. */
bool search_has_glimpsed(const struct search *search);
/* How many differing decisions lead to the states visited last. */
size_t search_level(const struct search *search);
/* What the reference ordering took: seconds from the beginning, and messages received. False: it did not come to its end. */
bool search_reference_cost(const struct search *search, double *seconds, uint64_t *deliveries);

/* Follows one ordering: at each state takes the given transition (found by equality of kind, owner, partner, a, b); after the
 * last one goes on as the reference ordering would. Returns SEARCH_FOUND with the finding it ends in (for a race: the
 * outcome of this ordering is reported by search_end_locals), SEARCH_COMPLETE if it ends well, SEARCH_FAILED with
 * `refusal` set if a transition is not there. `event` (may be NULL) is called for each transition taken, and with
 * choices = 0 for each step of a rank (the story then says which call it came to, or that it ended). An ordering with a decision
 * inside an endless chain of determined moves cannot be followed. */
enum search_end search_follow(struct search *search, const struct ordering *ordering,
                              void (*event)(void *context, const struct decision *decision), void *context);
/* Whoever leads chooses at each state what is taken. */
struct search_leader {
    /* A position in `list`, or SIZE_MAX: it ends here, in a deadlock if all of `list` is optional. `reference`: what the reference
     * ordering would take, SIZE_MAX: nothing. */
    size_t (*choose)(void *context, const struct transition *list, size_t count, size_t reference);
    /* From now on it only chooses what is usual, so that coming to a state again is a livelock. */
    bool (*is_done)(void *context);
    void *context;
};
/* As search_follow, led by somebody. */
enum search_end search_lead(struct search *search, const struct search_leader *leader);
/* How many decisions of an ordering differ from the reference ordering. */
size_t ordering_differences(const struct ordering *ordering);
/* The first ordering found that came to options.goal; its decisions are the caller's to free. False: none did. */
bool search_goal_ordering(const struct search *search, struct ordering *ordering);
/* Has the reduction left out transitions of a state? */
bool search_has_reduced(const struct search *search);
/* Puts finding `from_number` of another search into the place of a finding, and that one there. */
void search_swap_finding(struct search *search, size_t number, struct search *from, size_t from_number);
void search_set_minimal(struct search *search, size_t number, bool minimal);
/* The final local state of each rank after search_follow. */
const uint32_t *search_end_locals(const struct search *search);
/* Whether all ranks ended in the ordering that was followed last, whatever they left behind. */
bool search_came_to_end(const struct search *search);

/* The local state in which each rank ends in the reference ordering, or in the first one met that ends well if that does not.
 * False: none did. */
bool search_first_end(const struct search *search, uint32_t *local);

size_t search_findings(const struct search *search, const struct finding **list);
/* Takes those findings of the other search, over the same steps, that this one does not have. */
void search_adopt_findings(struct search *search, struct search *other);
/* Takes over a malloc'd sentence that says more of a finding than the search can. */
void search_set_message(struct search *search, size_t finding, char *message);
const struct search_statistics *search_statistics(const struct search *search);
const char *search_refusal(const struct search *search); /* one sentence, or NULL */
int search_agents_wanted(const struct search *search);   /* enum agents */
const char *
search_place_wanted(const struct search *search);    /* ... and what else, as WIRE_PLACE_FORMAT has it; "" if nothing */
uint64_t search_memory(const struct search *search); /* bytes held by states, those that wait, and the trail */
/* The distinct outcomes seen, as hashes (ends and outputs of all ranks), for tests. Sorted. */
size_t search_outcomes(const struct search *search, const uint64_t **list);
void search_destroy(struct search *search);

#endif
