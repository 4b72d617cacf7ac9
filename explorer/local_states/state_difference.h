/* Why two local states of a rank differ: each differing piece of memory with the name that a programmer has for it, and both its
 * values. A function of the two page trees, the page store and the modules alone; no process is needed. */
#ifndef EXPLORER_STATE_DIFFERENCE_H
#define EXPLORER_STATE_DIFFERENCE_H

#include "explorer/debug_information/modules.h"
#include "explorer/local_states/captured_memory.h"

/* In the order of what helps most. */
enum difference_kind {
    DIFFERENT_VARIABLE, /* a global, static or thread-local variable of the program */
    DIFFERENT_LOCAL,    /* a local variable or parameter of a function that has not returned */
    DIFFERENT_HEAP,     /* a heap block, or a part of one */
    DIFFERENT_STACK,    /* where a function is, or bytes of its frame that are no variable's */
    DIFFERENT_LIBRARY,  /* data of MPICH, libc and other libraries of the system */
    DIFFERENT_OWN,      /* this tool's own bookkeeping in the rank */
};

struct difference {
    enum difference_kind kind;
    uint64_t address, size;
    char *name;     /* `variable "counter" (static, app.c:12)` */
    char *value[2]; /* NULL: not there in that state */
};

struct state_difference {
    struct difference *difference; /* by kind, then as found */
    size_t count, room;
};

/* Finds all differences. `modules` may be NULL: names are then addresses. Free with state_difference_free. */
void state_difference_find(const struct captured_memory *memory, struct modules *modules, const struct captured_state state[2],
                           struct state_difference *found);
void state_difference_free(struct state_difference *found);

/* Adds one; takes over `name`, copies the values. */
void state_difference_add(struct state_difference *found, const struct difference *difference);

/* `variable "counter" (static, app.c:12): 3 and 4`; malloc'd. */
char *difference_text(const struct difference *difference);
const char *difference_kind_name(enum difference_kind kind);

#endif
