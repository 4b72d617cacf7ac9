/* The best tree is the one with the fewest different pairs below its root. It is built from the bottom, like Huffman's: joined are
 * always the two branches of which the fewest combinations occur. These are counted, as ranks that wait for each other have far
 * fewer than the product of what each has. */
#include "explorer/search/state_tree.h"
#include "explorer/containers/search_storage.h"

#include <stdbool.h>
#include <string.h>

enum {
    CANDIDATES = 24, /* branches looked at, those with the fewest values first */
    WORK = 1 << 22,  /* pairs looked at, about */
};

void state_tree_balanced(unsigned ranks, struct joint *joint) {
    for (unsigned next = 0, end = ranks; next + 1 < end; next += 2, joint++, end++)
        *joint = (struct joint){(uint16_t)next, (uint16_t)(next + 1)};
}

/* What has been joined so far, and which value it has in each state of the sample. */
struct branch {
    uint32_t *value; /* values are numbered from 0 */
    uint32_t values; /* how many different ones */
    uint16_t node;
};

/* Numbers of pairs. */
struct numbering {
    struct numbered {
        uint64_t pair;
        uint32_t number; /* from 1; 0: free */
    } * slot;
    size_t slots;
    uint32_t count;
};

struct fitting {
    struct branch *branch; /* by values, ascending */
    size_t branches, nodes, sample;
    uint32_t *together; /* by two nodes: how many combinations of them there are; 0: not counted yet */
    struct numbering numbering;
};

static uint32_t number_of(struct numbering *numbering, uint64_t pair) {
    size_t i = (pair * 0x9e3779b97f4a7c15u >> 20) & (numbering->slots - 1);
    for (; numbering->slot[i].number; i = (i + 1) & (numbering->slots - 1))
        if (numbering->slot[i].pair == pair)
            return numbering->slot[i].number - 1;
    numbering->slot[i] = (struct numbered){pair, ++numbering->count};
    return numbering->count - 1;
}

/* Numbers the combinations of two branches; `b` NULL: the values of the first. Into `value`, unless it is NULL. */
static uint32_t combine(struct fitting *fitting, const uint32_t *a, const uint32_t *b, uint32_t *value) {
    struct numbering *numbering = &fitting->numbering;
    memset(numbering->slot, 0, numbering->slots * sizeof *numbering->slot);
    numbering->count = 0;
    for (size_t i = 0; i < fitting->sample; i++) {
        uint32_t number = number_of(numbering, (uint64_t)a[i] << 32 | (b ? b[i] : 0));
        if (value)
            value[i] = number;
    }
    return numbering->count;
}

static void add_branch(struct fitting *fitting, struct branch fresh) {
    size_t at = fitting->branches++;
    for (; at > 0 && fitting->branch[at - 1].values > fresh.values; at--)
        fitting->branch[at] = fitting->branch[at - 1];
    fitting->branch[at] = fresh;
}

static void remove_branch(struct fitting *fitting, size_t at) {
    free(fitting->branch[at].value);
    fitting->branches--;
    memmove(&fitting->branch[at], &fitting->branch[at + 1], (fitting->branches - at) * sizeof *fitting->branch);
}

static uint32_t values_together(struct fitting *fitting, const struct branch *a, const struct branch *b) {
    uint32_t *together = &fitting->together[a->node * fitting->nodes + b->node];
    if (!*together)
        *together = combine(fitting, a->value, b->value, NULL);
    return *together;
}

/* The two branches of which there are the fewest combinations: places, the first one lower. */
static void choose_two(struct fitting *fitting, size_t *first, size_t *second) {
    size_t candidates = fitting->branches < CANDIDATES ? fitting->branches : CANDIDATES;
    uint32_t fewest = UINT32_MAX;
    for (size_t a = 0; a < candidates; a++)
        for (size_t b = a + 1; b < candidates; b++) {
            uint32_t values = values_together(fitting, &fitting->branch[a], &fitting->branch[b]);
            if (values >= fewest)
                continue;
            fewest = values;
            *first = a;
            *second = b;
        }
}

static struct joint join_two(struct fitting *fitting, uint16_t node) {
    size_t a = 0, b = 1;
    if (fitting->branches > 2)
        choose_two(fitting, &a, &b);
    const struct joint joint = {fitting->branch[a].node, fitting->branch[b].node};
    struct branch joined = {.value = storage_new(fitting->sample, sizeof *joined.value), .node = node};
    joined.values = combine(fitting, fitting->branch[a].value, fitting->branch[b].value, joined.value);
    remove_branch(fitting, b);
    remove_branch(fitting, a);
    add_branch(fitting, joined);
    return joint;
}

/* A rank's values; states are so far apart in the sample. */
static void add_leaf(struct fitting *fitting, unsigned ranks, const uint32_t *state, size_t apart, unsigned rank) {
    struct branch leaf = {.value = storage_new(fitting->sample, sizeof *leaf.value), .node = (uint16_t)rank};
    for (size_t i = 0; i < fitting->sample; i++)
        leaf.value[i] = state[i * apart * ranks + rank];
    leaf.values = combine(fitting, leaf.value, NULL, leaf.value);
    add_branch(fitting, leaf);
}

static size_t sample_size(unsigned ranks, size_t states) {
    size_t candidates = ranks < CANDIDATES ? ranks : CANDIDATES, most = WORK / (candidates * (candidates / 2 + ranks));
    return states < most ? states : most;
}

void state_tree_fitted(unsigned ranks, const uint32_t *state, size_t states, struct joint *joint) {
    struct fitting fitting = {.nodes = 2 * (size_t)ranks, .sample = sample_size(ranks, states), .numbering.slots = 2};
    while (fitting.numbering.slots < 2 * fitting.sample)
        fitting.numbering.slots *= 2;
    fitting.numbering.slot = storage_new(fitting.numbering.slots, sizeof *fitting.numbering.slot);
    fitting.together = storage_new(fitting.nodes * fitting.nodes, sizeof *fitting.together);
    fitting.branch = storage_new(ranks, sizeof *fitting.branch);
    for (unsigned rank = 0; rank < ranks; rank++)
        add_leaf(&fitting, ranks, state, states / fitting.sample, rank);
    for (unsigned made = 0; made + 1 < ranks; made++)
        joint[made] = join_two(&fitting, (uint16_t)(ranks + made));
    free(fitting.branch[0].value);
    free(fitting.branch);
    free(fitting.together);
    free(fitting.numbering.slot);
}
