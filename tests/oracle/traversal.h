/* Depth-first walk over states compared in full, which tells the cycles that cannot be left: Tarjan's components. */
#ifndef TESTS_ORACLE_TRAVERSAL_H
#define TESTS_ORACLE_TRAVERSAL_H

#include "tests/oracle/seen.h"

struct traversal_node {
    uint32_t low;
    bool closed; /* its component is complete */
    bool leaves; /* an edge out of its component, or an end by an error */
    bool inner;  /* an edge within its component */
};

struct traversal {
    struct seen seen;
    struct traversal_node *node; /* by number in `seen` */
    size_t room;
    uint32_t *open; /* entered, not closed; in order of entry */
    size_t opened;
    bool trapped; /* there is a cycle without a way out: a livelock */
};

/* A state is so many pieces of that size. */
void traversal_begin(struct traversal *walk, unsigned pieces, size_t piece_size);
/* The number of a state; `from`: that of the state that it comes from, unless it is the first. `fresh`: not entered before; the caller
 * then visits its successors, tells each with traversal_edge and at last calls traversal_leave. */
uint32_t traversal_enter(struct traversal *walk, const void *state, uint32_t from, bool *fresh);
/* Call after the target has been walked. */
void traversal_edge(struct traversal *walk, uint32_t from, uint32_t to);
void traversal_error(struct traversal *walk, uint32_t from);
void traversal_leave(struct traversal *walk, uint32_t node);
void traversal_end(struct traversal *walk);

#endif
