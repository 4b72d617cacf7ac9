/* What of a rank's final memory counts as its outcome (--race-on state): the static, global and thread-local variables of the
 * program, and the heap blocks that its own code has allocated. Not the stack, nor what belongs to libraries. */
#ifndef EXPLORER_FINAL_MEMORY_H
#define EXPLORER_FINAL_MEMORY_H

#include "explorer/local_states/state_difference.h"

/* A hash of all that counts; the same for equal content within one run. The state must have an allocation log. */
uint64_t final_memory_hash(const struct captured_memory *memory, struct modules *modules, const struct captured_state *state);

/* The first differences that count, as part of a sentence: "variable "x" (static, app.c:3): 1 and 2; … and 3 more". malloc'd. */
char *final_memory_difference(const struct captured_memory *memory, struct modules *modules,
                              const struct captured_state state[2]);

#endif
