/* Which local states keep their pages when there is no room for all: those that must, then those used last, as far as they are
 * still whole, until there are enough. The search goes on where it has been of late; who turns to an older state finds at least
 * a root. */
#ifndef EXPLORER_KEPT_STATES_H
#define EXPLORER_KEPT_STATES_H

#include "explorer/processes/page_marks.h"

struct kept_state {
    uint32_t image, log; /* page trees; BLOCK_NONE: none */
    uint32_t used;       /* when it was used last: the larger, the later */
    bool must;
};

/* Forgets the pages that are needed by no state in the list that must keep them, and by none of the others that were used last and
 * together take `bytes`. Pages put in the era `before` or later are kept. Returns the bytes that are free by it. Puts the list into
 * order. */
uint64_t kept_states_choose(struct page_marks *marks, struct kept_state *list, size_t count, uint64_t bytes, uint32_t before);

#endif
