/* The states between a state and one of its ancestors, for backends that run steps again. */
#ifndef CKPT_BACKENDS_ANCESTRY_H
#define CKPT_BACKENDS_ANCESTRY_H

#include "ckpt/backends/checkpoint.h"

struct ancestry {
    uint32_t *state; /* to be entered one after the other, the last being the one asked for; malloc'd */
    size_t states;
    uint32_t start; /* the ancestor found, or STATE_NONE: begin at root number `root` */
    uint32_t root;
};

/* Walks up from `state` until `found(context, ancestor)`, the state itself not being asked about, or to its root. */
struct ancestry ancestry_of(const struct lineage *lineage, uint32_t state, bool (*found)(void *context, uint32_t state),
                            void *context);
/* Runs a process that stands at the start of the ancestry to its end. */
enum entering ancestry_repeat(struct checkpoint *checkpoint, struct process *process, const struct ancestry *ancestry);

#endif
