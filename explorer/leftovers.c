#include "explorer/leftovers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool leftovers_keep(struct leftovers *leftovers, const char *text) {
    uint64_t site;
    if (sscanf(text, WIRE_KEEPS_SCAN, &site) != 1)
        return false;
    leftovers->needed = leftovers->kept_sites == KEPT_SITES_MOST;
    if (leftovers->needed)
        leftovers->forgotten = false;
    else
        leftovers->kept_site[leftovers->kept_sites++] = site;
    return true;
}

void leftovers_tell(const struct leftovers *leftovers, struct channel *channel) {
    channel->variant |= leftovers->forgotten ? VARIANT_FORGETS : 0;
    channel->kept_sites = leftovers->kept_sites;
    memcpy(channel->kept_site, leftovers->kept_site, sizeof leftovers->kept_site);
}
