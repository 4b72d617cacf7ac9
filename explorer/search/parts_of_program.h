/* The proof by parts (por/parts.h) of a program: the ranks' steps as one rank alone may take them. Knows model and steps, as the
 * search does. */
#ifndef EXPLORER_PARTS_OF_PROGRAM_H
#define EXPLORER_PARTS_OF_PROGRAM_H

#include "explorer/steps/step_source.h"
#include "models/mpi/apart.h"
#include "por/parts.h"
#include "por/poeg_counts.h"

/* What stands in the way where agents are needed. */
#define PARTS_USE_AGENTS \
    "locks windows, synchronises by shared memory, reads what others may change in the same epoch, or uses MPI-IO"

struct parts_options {
    unsigned ranks;       /* no agents */
    uint64_t most_states; /* of all ranks together */
    struct apart_loose loose;
    bool handles_may_leak;                       /* a rank may end with some that are not freed: with the same in all orders */
    bool (*stop)(void *context, uint64_t bytes); /* held by the proof */
    /* For counted orders only: may messages with these payloads to the rank be exchanged? NULL: it is not known of any. */
    bool (*exchangeable)(void *context, unsigned rank, uint32_t payload, uint32_t other);
    void *context;
};

struct parts_proof {
    struct parts_statistics statistics;
    uint64_t steps;          /* asked for */
    size_t holding;          /* places that may be loose: see apart_holding */
    struct apart_call *hold; /* malloc'd */
    char why[256];           /* not proved: what stood in the way; "" if it was stopped */
    const char *wanted;      /* a rank has to begin otherwise: the text of its WIRE_AGENTS; else NULL */
};

/* True: all orderings end alike and none has an error, but for such leaks. */
bool parts_of_program(struct mpi_model *model, const struct step_source *steps, const struct parts_options *options,
                      struct parts_proof *proof);

/* True: proved as it is without what is loose, and that orders no messages. */
bool parts_useless_in_program(struct mpi_model *model, const struct step_source *steps, const struct parts_options *options);

/* How many orders of its messages there are (por/poeg_counts.h). */
struct counted_orders {
    bool known;
    struct poeg_counts counts;
    char why[256]; /* not known: why; "" if it was stopped */
};
void parts_count_orders(struct mpi_model *model, const struct step_source *steps, const struct parts_options *options,
                        struct counted_orders *counted);

/* An event of one run (por/poeg.h). */
struct run_event {
    uint32_t number;
    int32_t rank; /* that receives; -1: a collective */
    uint32_t from;
    uint32_t subgroup; /* of the rank's */
    uint16_t function; /* that sent, or entered */
    uint32_t site;
    int32_t tag;            /* -1: none */
    const uint32_t *before; /* the events that immediately precede it */
    size_t befores;
};
/* One run with synchronous sends, event by event. False: `why`, as above. */
bool parts_of_run(struct mpi_model *model, const struct step_source *steps, const struct parts_options *options,
                  void (*visit)(void *context, const struct run_event *event), void *context, char *why, size_t room);

#endif
