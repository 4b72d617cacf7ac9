/* How waiting and visited states were reached: each by one edge from another. Kept while the graph is small and where findings need
 * it; a large graph is first explored without. */
#ifndef EXPLORER_SEARCH_TRAIL_H
#define EXPLORER_SEARCH_TRAIL_H

#include "explorer/search/state_set.h"

#define TRAIL_NONE UINT32_MAX
#define VIA_NOTHING ((1u << 30) - 1) /* an edge without a transition: determined moves only */

/* An edge of the graph. */
struct edge {
    uint32_t via : 30; /* position in the state's transitions, or VIA_NOTHING */
    uint32_t optional : 1;
    uint32_t differs : 1; /* from what the reference ordering does in that state */
};

struct track {
    state_name name;
    uint32_t from; /* TRAIL_NONE: the root */
    struct edge edge;
};

struct trail {
    struct track *track;
    size_t count, room;
};

/* The place of the new track. */
uint32_t trail_add(struct trail *trail, struct track track);
/* The places from the root to `at`, malloc'd; *length of them. */
uint32_t *trail_path(const struct trail *trail, uint32_t at, size_t *length);
uint64_t trail_memory(const struct trail *trail); /* bytes */
void trail_clear(struct trail *trail);

#endif
