/* The proof by parts (por/parts.h) of a program: the ranks' steps as one rank alone may take them. Knows model and steps, as the search does. */
#ifndef EXPLORER_PARTS_OF_PROGRAM_H
#define EXPLORER_PARTS_OF_PROGRAM_H

#include "explorer/step_source.h"
#include "por/parts.h"

struct parts_options {
    unsigned ranks;                              /* no agents */
    uint64_t most_states;                        /* of all ranks together */
    uint32_t barrier;                            /* site of calls of MPI_Barrier that are taken to hold nobody up; 0: all do */
    bool (*stop)(void *context, uint64_t bytes); /* held by the proof */
    void *context;
};

struct parts_proof {
    struct parts_statistics statistics;
    uint64_t steps;    /* asked for */
    size_t barriers;   /* places in which MPI_Barrier is called by all members together */
    uint32_t *barrier; /* their sites; malloc'd */
    char why[256];     /* not proved: what stood in the way; "" if it was stopped */
};

/* True: all orderings end alike and none has an error. */
bool parts_of_program(struct mpi_model *model, const struct step_source *steps, const struct parts_options *options,
                      struct parts_proof *proof);

/* An event of one run (por/poeg.h). */
struct run_event {
    uint32_t number;
    int32_t rank; /* that receives; -1: a collective */
    uint32_t from;
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
