#include "tests/oracle/walk.h"

#include <stdlib.h>

void walk_begin(struct walk *walk, size_t state_size) {
    *walk = (struct walk){0};
    seen_begin(&walk->seen, state_size);
}

static void grow(struct walk *walk) {
    walk->room = walk->room ? 2 * walk->room : 512;
    walk->node = realloc(walk->node, walk->room * sizeof *walk->node);
    walk->open = realloc(walk->open, walk->room * sizeof *walk->open);
    if (!walk->node || !walk->open)
        abort();
}

uint32_t walk_enter(struct walk *walk, const void *state, bool *fresh) {
    uint32_t number = (uint32_t)seen_number(&walk->seen, state, fresh);
    if (!*fresh)
        return number;
    if (number >= walk->room)
        grow(walk);
    walk->node[number] = (struct walk_node){.low = number};
    walk->open[walk->opened++] = number;
    return number;
}

void walk_edge(struct walk *walk, uint32_t from, uint32_t to) {
    struct walk_node *node = &walk->node[from];
    if (walk->node[to].closed) {
        node->leaves = true;
        return;
    }
    node->inner = true;
    if (walk->node[to].low < node->low)
        node->low = walk->node[to].low;
}

void walk_error(struct walk *walk, uint32_t from) { walk->node[from].leaves = true; }

void walk_leave(struct walk *walk, uint32_t node) {
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

void walk_end(struct walk *walk) {
    seen_end(&walk->seen);
    free(walk->node);
    free(walk->open);
}
