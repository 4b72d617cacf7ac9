/* A stack for each operation that runs or waits. Internal.
 *
 * They are ordinary memory, next to each other, all zero but for what is in use: after every switch back what lies below the
 * stack pointer is zeroed, so that a rank's memory shows nothing of calls that are over. The lowest page of each must stay
 * zero. */
#ifndef MODELS_DPS_STACKS_H
#define MODELS_DPS_STACKS_H

#include <stdbool.h>
#include <stddef.h>

struct stacks {
    unsigned char *memory;
    size_t bytes; /* of each, with that page */
    unsigned count;
    void *caller; /* stack pointer of the rank while an operation runs */
};

void stacks_create(struct stacks *stacks, unsigned count, size_t bytes);
void stacks_destroy(struct stacks *stacks);

/* A stack pointer with which the first stacks_resume calls function(argument), which must end in stacks_leave. */
void *stacks_start(struct stacks *stacks, unsigned number, void (*function)(void *), void *argument);
/* Runs on until stacks_leave; updates the stack pointer. False: the stack overflowed (found out afterwards). */
bool stacks_resume(struct stacks *stacks, unsigned number, void **stack_pointer);
/* On an operation's stack: back to stacks_resume. */
void stacks_leave(struct stacks *stacks, void **stack_pointer);
/* The operation is over: zeroes its stack. */
void stacks_end(struct stacks *stacks, unsigned number, void **stack_pointer);

#endif
