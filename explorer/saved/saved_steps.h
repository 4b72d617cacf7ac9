/* The steps in an exploration directory: what was asked (a local state and an answer) and what an executor reported, to the letter.
 * Read in the order in which they were written, they make the same step table with the same numbers. */
#ifndef EXPLORER_SAVED_STEPS_H
#define EXPLORER_SAVED_STEPS_H

#include "explorer/local_states/divergence.h"
#include "explorer/saved/saved_memory.h"
#include "explorer/steps/step_table.h"

enum saved_outcome {
    OUTCOME_REPORT,    /* the report was taken */
    OUTCOME_MALFORMED, /* it was not, but may have given out numbers */
    OUTCOME_LOST,      /* there is none, as with step_table_finish_lost */
};

/* A step that was just finished. */
struct saved_step {
    uint32_t step;
    enum saved_outcome outcome;
    enum wire_end_kind end; /* lost: how */
    uint32_t image, log;    /* as the table was given them */
    const void *report;
    size_t size;
    const struct divergence *divergence; /* how it went each time, or NULL */
};

void saved_steps_add(struct saved *saved, const struct step_table *table, const struct saved_step *step);

/* Who takes part in reading steps back. */
struct saved_reader {
    struct step_table *table;
    struct saved_memory *(*memory)(void *context, unsigned program);
    /* Interns the root that was made at this point. False: it is not known. */
    bool (*root)(void *context, unsigned program, unsigned variant, unsigned rank);
    /* Takes over the reports. */
    void (*diverged)(void *context, struct divergence divergence);
    void *context;
};

/* Fills the table, which knows roots only, with all steps. False: *error is a malloc'd sentence. */
bool saved_steps_read(struct saved *saved, const struct saved_reader *reader, char **error);

#endif
