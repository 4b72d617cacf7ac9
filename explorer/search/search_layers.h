/* States waiting to be visited, in the order of the search: by level, which is how many decisions on the way differ from the
 * reference ordering, then by layer, which is the number of edges. Edges lead from one layer to the next one, of the same level or
 * of the level after it; so two levels are enough, and the first time that a state is visited is the best. */
#ifndef EXPLORER_SEARCH_LAYERS_H
#define EXPLORER_SEARCH_LAYERS_H

#include "explorer/search/state_set.h"

/* Waiting states: their names, and if a trail is kept their places in it. */
struct layer {
    state_name *name;
    uint32_t *trail; /* NULL: none is kept */
    size_t count, name_room, trail_room;
};

void layer_push(struct layer *layer, state_name name, bool with_trail, uint32_t trail);
void layer_clear(struct layer *layer); /* frees */
size_t layer_memory(const struct layer *layer);

struct layers {
    struct layer *now, *later; /* of this level and the next, by number of edges */
    size_t nows, laters, now_room, later_room;
    size_t at; /* layer being visited */
    size_t level;
};

/* The layer `at` of this level or the next one, made if it is not there. Valid until the next call. */
struct layer *layers_now(struct layers *layers, size_t at);
struct layer *layers_later(struct layers *layers, size_t at);
/* Goes on to the next level. False: nothing waits there. */
bool layers_next_level(struct layers *layers);
size_t layers_waiting(const struct layers *layers);
uint64_t layers_memory(const struct layers *layers);
void layers_clear(struct layers *layers);

#endif
