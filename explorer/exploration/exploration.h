/* A program, or several that run together, under exploration: their processes, the model, the search and the budgets, from start to
 * verdict. */
#ifndef EXPLORER_EXPLORATION_H
#define EXPLORER_EXPLORATION_H

#include "explorer/exploration/access_file.h"
#include "explorer/exploration/progress.h"
#include "explorer/exploration/proof.h"
#include "explorer/orderings/subset.h"
#include "explorer/orderings/witness_file.h"
#include "explorer/processes/leftovers.h"
#include "explorer/processes/programs.h"
#include "explorer/reports/report.h"
#include "explorer/saved/saved_graph.h"
#include "explorer/search/bisimilar.h"
#include "explorer/steps/places.h"

#include <limits.h>

struct exploration {
    const struct options *options;
    const volatile bool *interrupt;
    char **path; /* of each program's executable */
    struct sites *sites;
    struct saved *saved; /* the exploration directory, or NULL */
    struct programs *programs;
    struct mpi_model *model;
    struct search *search;
    struct search *earlier; /* one whose findings are not lost, while the graph is explored that may have more */
    struct search *second;  /* one beside it, while witnesses are made minimal */
    unsigned agents;        /* ranks that are agents: none, or as many as the program has */
    int agents_kind;        /* enum agents */
    struct places places;   /* pieces of shared windows that ranks treat in a way of their own */
    char *places_text;      /* those of the present search; NULL: none */
    struct leftovers leftovers;
    bool places_blocks; /* ranks do, from the next exploration_begin_anew on */
    bool merges;        /* local states that behave alike are one, in the next search, by */
    struct bisimilar *bisimilar;
    bool merged;              /* the model remembers moves of a search in which they are */
    struct saved_graph graph; /* with `saved` */
    FILE *graph_file;         /* a graph to go on from, until the first search takes it */
    bool damaged;             /* it was none */
    struct progress progress;
    double began;
    bool is_late;          /* the time budget was used up before it had begun */
    uint64_t memory_bytes; /* the budget */
    uint64_t peak_memory;
    bool keeps_going;         /* the first finding does not end it */
    bool is_quick;            /* only a few of these, before the graph */
    bool tries_some;          /* the next search only follows what strategies give */
    unsigned time_percent;    /* of the time budget that the next search may use */
    uint64_t subset_bytes;    /* held by strategies */
    struct subset subset;     /* what strategies covered */
    uint64_t most_states;     /* that the next search may visit; 0: any number */
    bool by_parts;            /* `proof` proves it */
    uint64_t proof_bytes;     /* held while it is tried */
    uint64_t parts_bytes;     /* held for its states at last */
    uint64_t graph_bytes;     /* held for those of the graph, */
    double graph_ended;       /* when that had been searched, since the beginning */
    struct parts_proof proof; /* what was looked at for it */
    struct phase phase[PHASES_MOST];
    size_t phases;
    struct witness_file reference; /* options->reference, read */
    char reason[1024];             /* of the verdict */

    struct access_file *access;   /* options->access, read; or NULL */
    struct counted_orders orders; /* for --poeg */
};

/* Starts the program. False: `sentence` says why it cannot be run, or (`is_late`) that there was no time for that. To be ended with
 * exploration_end in either case. */
bool exploration_begin(struct exploration *exploration, const struct options *options, const volatile bool *interrupt,
                       char *sentence, size_t room);
/* A fresh search over the same steps; the one before is gone. */
void exploration_new_search(struct exploration *exploration);
/* Did the last search rest on local states being alike that are not? Then they are told apart from now on, and it is to be done again. */
bool exploration_was_mistaken(struct exploration *exploration);
/* A small search, of so many states at most, that begins in this state of the model. To be ended with exploration_end_second. */
struct search *exploration_search_from(struct exploration *exploration, const uint32_t *state, uint64_t states);
void exploration_end_second(struct exploration *exploration);
/* Has the last search found something that the user does not let pass? Is that enough, or what it has found at all? */
bool exploration_has_failed(const struct exploration *exploration);
bool exploration_has_enough(const struct exploration *exploration);
/* The next search begins with ranks that are told anew of agents, places, leftovers and blocks. False: an executor failed. */
bool exploration_begin_anew(struct exploration *exploration);
/* Makes agents of a kind (enum agents) for the next search, as after SEARCH_AGENTS. False: an executor failed. */
bool exploration_add_agents(struct exploration *exploration, int kind);
/* More places (places.h). False: they are not well formed. They count from the next exploration_add_agents on. */
bool exploration_add_places(struct exploration *exploration, const char *text);
/* For whoever walks orderings: shows how far it is; looks at the budgets. */
void exploration_show(struct exploration *exploration, const struct search_statistics *statistics);
double exploration_seconds(const struct exploration *exploration);                    /* since it began */
bool exploration_time_is_up(const struct exploration *exploration, unsigned percent); /* of the budget */
/* What is left of so much of the time budget, at least a moment; the start has used some of it. 0: none is set. */
double exploration_seconds_left(const struct exploration *exploration, unsigned percent);
bool exploration_memory_is_full(struct exploration *exploration);
/* Searches until the end or the budget, and says what came of it. Strings of the report live as long as the exploration. */
void exploration_run(struct exploration *exploration, struct report *report);
/* Writes the witnesses of the report's findings. */
void exploration_write_witnesses(struct exploration *exploration, struct report *report);
/* Writes the files that the reference ordering leaves into options->keep_files. */
void exploration_keep_files(struct exploration *exploration);
void exploration_free_report(struct report *report);
void exploration_end(struct exploration *exploration);

#endif
