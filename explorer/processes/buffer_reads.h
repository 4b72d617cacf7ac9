/* Whether a step reads a buffer that a pending operation will receive into. A step in which there are such buffers is run again
 * with other bytes in them, twice (models/mpi/preload/process/foreign_bytes.h, step_variants.h): a right program does the same each
 * time. This says whether two executions agree, and what is wrong if they do not; executors.c runs them. */
#ifndef EXPLORER_BUFFER_READS_H
#define EXPLORER_BUFFER_READS_H

#include "explorer/local_states/divergence.h"
#include "models/mpi/protocol.h"

/* The same operations, output, end and memory? Where a rank was when it ended badly is left out: its stack may hold the buffer. */
bool buffer_reads_agree(const struct execution *usual, const struct execution *variant);

/* The call that started the operation whose buffer was read: enum mpi_function and site; none if it takes several of them. */
struct buffer_owner {
    unsigned rank;
    uint16_t function;
    uint64_t site;
    bool in_window; /* it is what that call changes in the window of the rank that reads it */
    bool window;    /* it is memory of a window instead, which that call of `rank` accesses */
    bool shared;    /* ... or, if it is a shared one, which others store to: `rank` and the rest say nothing */
    int agents;     /* ... if not 0: that is only certain with agents that do this */
    struct wire_place_of_window place; /* ... and, of a shared window, if the program is watched there */
};

/* The report of a step that ends with the mistake: what the variant itself reports if it found the program writing there, else the
 * first thing that it did otherwise. malloc'd. */
char *buffer_reads_report(const struct execution *usual, const struct execution *variant, const struct buffer_owner *owner,
                          size_t *size);

/* The report of an execution in which memory was closed to stores, if it found one there, or must know more to tell it; else NULL.
 * malloc'd. */
char *buffer_reads_report_of_store(const struct execution *closed, size_t *size);

/* The report of a step that ends because the explorer must start over, with agents that can do this, and that place if its kind
 * is not 0. malloc'd. */
char *buffer_reads_wish(int agents, const struct wire_place_of_window *place, size_t *size);

/* The report of a step that needs what it has forgotten: what the execution with that closed wishes, or that receives of this call
 * site keep what they have while they are pending. malloc'd. */
char *buffer_reads_wish_to_keep(const struct execution *closed, int agents, uint64_t site, size_t *size);

/* The report of a step that ends because of something that is not supported: `text` says what. malloc'd. */
char *buffer_reads_refusal(const char *text, size_t *size);

#endif
