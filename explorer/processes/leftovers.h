/* Whether ranks forget what is left in a receive's buffer while they wait for what will overwrite it, be it before they go on or
 * later (models/mpi/preload/buffers/leftovers.h, pending_leftovers.h), and at which call sites they do not. */
#ifndef EXPLORER_LEFTOVERS_H
#define EXPLORER_LEFTOVERS_H

#include "ckpt/channel.h"
#include "models/mpi/protocol.h"

#include <stdbool.h>

struct leftovers {
    bool forgotten; /* by ranks that begin from now on */
    bool needed;    /* at so many call sites that they are not to be forgotten any more */
    uint32_t kept_sites;
    struct kept_site kept_site[KEPT_SITES_MOST];
};

/* Adds the call site of a text like WIRE_KEEPS_FORMAT, or keeps it in the way said there. False: it is none. */
bool leftovers_keep(struct leftovers *leftovers, const char *text);
/* For the ranks that begin from now on: adds to the channel's variant. */
void leftovers_tell(const struct leftovers *leftovers, struct channel *channel);

#endif
