/* Depth-first walk over states compared in full, which tells the cycles that cannot be left: Tarjan's components. */
#ifndef TESTS_ORACLE_WALK_H
#define TESTS_ORACLE_WALK_H

#include "tests/oracle/seen.h"

struct walk_node {
    uint32_t low;
    bool closed; /* its component is complete */
    bool leaves; /* an edge out of its component, or an end by an error */
    bool inner;  /* an edge within its component */
};

struct walk {
    struct seen seen;
    struct walk_node *node; /* by number in `seen` */
    size_t room;
    uint32_t *open; /* entered, not closed; in order of entry */
    size_t opened;
    bool trapped; /* there is a cycle without a way out: a livelock */
};

void walk_begin(struct walk *walk, size_t state_size);
/* The number of a state. `fresh`: not entered before; the caller then visits its successors, tells each with walk_edge and at
 * last calls walk_leave. */
uint32_t walk_enter(struct walk *walk, const void *state, bool *fresh);
/* Call after the target has been walked. */
void walk_edge(struct walk *walk, uint32_t from, uint32_t to);
void walk_error(struct walk *walk, uint32_t from);
void walk_leave(struct walk *walk, uint32_t node);
void walk_end(struct walk *walk);

#endif
