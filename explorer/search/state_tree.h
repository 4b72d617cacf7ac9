/* Which tree of pairs states are kept in (state_set.h). Inner nodes are counted from the bottom up: node i joins two that are
 * leaves (a rank's number) or lower inner nodes (ranks + their number). The last one, of ranks - 1, is the root. */
#ifndef EXPLORER_STATE_TREE_H
#define EXPLORER_STATE_TREE_H

#include <stddef.h>
#include <stdint.h>

struct joint {
    uint16_t left, right;
};

/* All leaves are as deep, within one. */
void state_tree_balanced(unsigned ranks, struct joint *joint);
/* One with few different pairs for states like these, which stand one after the other; their order is no matter. */
void state_tree_fitted(unsigned ranks, const uint32_t *state, size_t states, struct joint *joint);

#endif
