/* The tree that states are kept in: joined first are ranks of which few combinations occur. */
#include "explorer/search/state_tree.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* Each node has one parent, and lower nodes are made first. */
static void check_tree(unsigned ranks, const struct joint *joint) {
    bool *joined = calloc(2 * (size_t)ranks, sizeof *joined);
    for (unsigned i = 0; i + 1 < ranks; i++) {
        const uint16_t child[] = {joint[i].left, joint[i].right};
        for (unsigned side = 0; side < 2; side++) {
            cr_assert_lt(child[side], ranks + i);
            cr_assert_not(joined[child[side]]);
            joined[child[side]] = true;
        }
    }
    free(joined);
}

Test(state_tree, all_numbers_of_ranks_have_one) {
    for (unsigned ranks = 1; ranks <= 200; ranks = ranks * 2 + 1) {
        enum { STATES = 300 };
        struct joint *joint = calloc(ranks, sizeof *joint);
        uint32_t *state = calloc((size_t)STATES * ranks, sizeof *state);
        for (size_t i = 0; i < (size_t)STATES * ranks; i++)
            state[i] = (uint32_t)i * 2654435761u >> (20 + i % 11);
        state_tree_balanced(ranks, joint);
        check_tree(ranks, joint);
        state_tree_fitted(ranks, state, STATES, joint);
        check_tree(ranks, joint);
        free(joint);
        free(state);
    }
}

/* Ranks r and r + 4 are always in step and know nothing of the others: pairs of them have 8 values each, any others 64. */
Test(state_tree, ranks_in_step_are_joined_first) {
    enum { RANKS = 8, VALUES = 8, STATES = VALUES * VALUES * VALUES * VALUES };
    struct joint joint[RANKS];
    uint32_t *state = calloc((size_t)STATES * RANKS, sizeof *state);
    for (uint32_t i = 0; i < STATES; i++)
        for (unsigned rank = 0; rank < RANKS; rank++)
            state[i * RANKS + rank] = (i >> 3 * (rank % 4) & 7) + 100 * rank;
    state_tree_fitted(RANKS, state, STATES, joint);
    check_tree(RANKS, joint);
    for (unsigned i = 0; i < RANKS / 2; i++) {
        cr_assert_lt(joint[i].left, RANKS);
        cr_assert_eq(joint[i].left % 4, joint[i].right % 4, "joint %u is of ranks %u and %u", i, joint[i].left, joint[i].right);
    }
    free(state);
}

/* One rank has a value of its own in each state: it comes last, so that no pair below the root has it. */
Test(state_tree, what_varies_most_is_at_the_root) {
    enum { RANKS = 6, STATES = 1000 };
    struct joint joint[RANKS];
    uint32_t *state = calloc((size_t)STATES * RANKS, sizeof *state);
    for (uint32_t i = 0; i < STATES; i++)
        for (unsigned rank = 0; rank < RANKS; rank++)
            state[i * RANKS + rank] = rank == 3 ? i : i / (rank + 1) % 2;
    state_tree_fitted(RANKS, state, STATES, joint);
    check_tree(RANKS, joint);
    cr_assert(joint[RANKS - 2].left == 3 || joint[RANKS - 2].right == 3);
    free(state);
}
