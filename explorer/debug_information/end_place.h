/* The place in the user's program where a rank crashed or exited, found by walking up its stack: the instruction itself is often in
 * a library. */
#ifndef EXPLORER_END_PLACE_H
#define EXPLORER_END_PLACE_H

#include "explorer/debug_information/source_names.h"
#include "models/mpi/protocol.h"

struct end_place {
    uint64_t site;                   /* as in struct wire_end */
    char text[3 * SOURCE_NAME_ROOM]; /* "in memset, called from fill"; "" if the site says it all */
};

/* `modules` and `stack` may be NULL: the site is then the one that the rank itself has reported. `stack` is followed by its
 * bytes. */
struct end_place end_place_find(struct modules *modules, const struct wire_end *end, const struct wire_stack *stack);

#endif
