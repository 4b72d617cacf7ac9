/* What a run has found, in the form that all reports print: text, JSON, JUnit. */
#ifndef EXPLORER_REPORT_H
#define EXPLORER_REPORT_H

#include "explorer/command_line/options.h"
#include "explorer/debug_information/sites.h"
#include "explorer/orderings/subset.h"
#include "explorer/processes/executors.h"
#include "explorer/search/parts_of_program.h"
#include "explorer/search/search.h"
#include "models/mpi/apart.h"

#include <stdio.h>

enum verdict { VERDICT_RACE_FREE, VERDICT_FOUND, VERDICT_UNDECIDED, VERDICT_CANNOT_RUN }; /* their values are exit codes */

/* How the outputs of a race part. */
struct output_difference {
    int stream;         /* 0: none */
    char *file;         /* the name of a file that differs, then stream is 0 */
    unsigned line;      /* the first that differs; 0: a file is not of the same kind */
    uint64_t byte;      /* likewise */
    bool binary;        /* no text: `here` and `there` are bytes from that one on */
    char *here, *there; /* that line in the witness's ordering and in the other; NULL: ends before. Line 0: what it is */
};

struct reported_finding {
    const struct finding *finding;
    char *witness; /* path of the witness file, NULL if none was written */
    bool fails;    /* counts against the program */
    struct output_difference difference;
    char **detail; /* further lines */
    size_t details;
};

/* One part of a run, in the order of time. */
struct phase {
    const char *name; /* "reference", "graph", "strategies", "witnesses" */
    double seconds;
    uint64_t deliveries; /* messages received and collectives left */
    char covered[640];   /* a sentence without a full stop */
    double estimate; /* of an unfinished graph: the share of its orderings that was covered, as an estimate; negative: none */
};
enum { PHASES_MOST = 8 };

struct report {
    const struct options *options;
    enum verdict verdict;
    const char *sentence; /* why undecided or cannot run; else NULL */
    char *note;           /* what kept an undecided run from its end, or what a verdict does not speak of; may be NULL */
    bool complete;        /* every ordering was covered */
    bool by_parts;        /* race-free: proved by decomposition */
    bool by_orderings;    /* race-free: proved by one ordering of each class */
    size_t findings;
    struct reported_finding *finding;
    struct sites *sites;
    const struct step_table *locals; /* for the numbers of local states; may be NULL */
    /* If the graph did not tell some ranks apart: of each the lowest that it is interchangeable with, itself if none is; else NULL. */
    unsigned *first_like;
    struct search_statistics search;
    const struct subset *subset; /* what strategies covered; NULL: none ran */
    const struct phase *phase;
    size_t phases;
    struct executors_statistics executors;
    size_t advices;
    struct apart_call *advice; /* calls that order no messages */
    char *orderings;           /* how many there are, as in the JSON report; NULL: not known */
    char *orderings_failing;   /* of them; NULL: not known, or none */
    uint64_t memory_bytes, peak_memory_bytes;
    double states_per_second, bytes_per_state; /* of `search`, with the steps that were waited for */
    double seconds;
    const struct counted_orders *poeg; /* with --poeg, else NULL */
};

const char *verdict_name(enum verdict verdict);
const char *report_proof(const struct report *report); /* "decomposition", "state-graph", "orderings", "reversal" or "none" */
/* "if this is buffered", of a collective "left early": what must be so for a finding, or with `met` false must not. */
const char *report_condition(const struct where *where, bool met);
/* "MPI_Recv (a.c:12)": an MPI function and its call; where there is none, the program's own function. Never nothing. */
void report_place(FILE *out, uint16_t function, uint32_t site, struct sites *sites);
/* One decision as a sentence: "rank 0 in MPI_Recv (a.c:12) receives from rank 2, MPI_Send (a.c:20), tag 5". */
void report_decision(FILE *out, const struct decision *decision, struct sites *sites);

void report_text(FILE *out, const struct report *report);
/* One finding of it, as report_text has it: what, where, which ordering. */
void report_finding(FILE *out, const struct report *report, const struct reported_finding *reported);
/* Write to a temporary file beside `path` and rename: an existing file is replaced only by a whole report. False: errno. */
bool report_json(const char *path, const struct report *report);
bool report_junit(const char *path, const struct report *report);
bool report_sarif(const char *path, const struct report *report);

#endif
