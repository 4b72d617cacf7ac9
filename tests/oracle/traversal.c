#include "tests/oracle/traversal.h"

#include <stdlib.h>

void traversal_begin(struct traversal *walk, unsigned pieces, size_t piece_size) {
    *walk = (struct traversal){0};
    seen_begin(&walk->seen, pieces, piece_size);
}

static void grow(struct traversal *walk) {
    walk->room = walk->room ? 2 * walk->room : 512;
    walk->node = realloc(walk->node, walk->room * sizeof *walk->node);
    walk->open = realloc(walk->open, walk->room * sizeof *walk->open);
    if (!walk->node || !walk->open)
        abort();
}

uint32_t traversal_enter(struct traversal *walk, const void *state, uint32_t from, bool *fresh) {
    uint32_t number = (uint32_t)seen_number(&walk->seen, state, from, fresh);
    if (!*fresh)
        return number;
    if (number >= walk->room)
        grow(walk);
    walk->node[number] = (struct traversal_node){.low = number};
    walk->open[walk->opened++] = number;
    return number;
}

void traversal_edge(struct traversal *walk, uint32_t from, uint32_t to) {
    struct traversal_node *node = &walk->node[from];
    if (walk->node[to].closed) {
        node->leaves = true;
        return;
    }
    node->inner = true;
    if (walk->node[to].low < node->low)
        node->low = walk->node[to].low;
}

void traversal_error(struct traversal *walk, uint32_t from) { walk->node[from].leaves = true; }

void traversal_leave(struct traversal *walk, uint32_t node) {
    if (walk->node[node].low != node)
        return;
    bool leaves = false, inner = false;
    uint32_t member;
    do {
        member = walk->open[--walk->opened];
        walk->node[member].closed = true;
        leaves |= walk->node[member].leaves;
        inner |= walk->node[member].inner;
    } while (member != node);
    walk->trapped |= inner && !leaves;
}

void traversal_end(struct traversal *walk) {
    seen_end(&walk->seen);
    free(walk->node);
    free(walk->open);
}
