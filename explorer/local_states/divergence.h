/* A step that did two different things when it was executed twice, and what it was that differed. */
#ifndef EXPLORER_DIVERGENCE_H
#define EXPLORER_DIVERGENCE_H

#include "explorer/debug_information/sites.h"
#include "explorer/local_states/captured_memory.h"
#include "explorer/steps/step_table.h"

#include <stdbool.h>

/* What one execution came to. */
struct execution {
    unsigned program; /* number of the rank's program */
    bool back;        /* it came back in time */
    bool blocked;     /* at a call, with its memory captured */
    uint32_t root;    /* blocked: the memory */
    char *report;     /* its records; malloc'd */
    size_t size;
};

struct divergence {
    uint32_t step;
    struct execution execution[2];
};

/* A list of lines: where the step began and ended, the first thing that it did otherwise, the first variables that differ. The
 * caller frees lines and list; *count is set. `memory` may have no pages. */
char **divergence_lines(const struct divergence *divergence, const struct step_table *table, struct sites *sites,
                        const struct captured_memory *memory, size_t *count);
void divergence_free(struct divergence *divergence);

#endif
