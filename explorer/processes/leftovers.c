#include "explorer/processes/leftovers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool leftovers_keep(struct leftovers *leftovers, const char *text) {
    uint64_t site;
    int how;
    if (sscanf(text, WIRE_KEEPS_SCAN, &site, &how) != 2)
        return false;
    uint32_t at = 0;
    while (at < leftovers->kept_sites && leftovers->kept_site[at].site != site)
        at++;
    const bool is_new = at == leftovers->kept_sites || leftovers->kept_site[at].how < (uint64_t)how;
    leftovers->needed = at == KEPT_SITES_MOST || !is_new;
    if (leftovers->needed) {
        leftovers->forgotten = false;
        return true;
    }
    leftovers->kept_site[at] = (struct kept_site){site, (uint64_t)how};
    if (at == leftovers->kept_sites)
        leftovers->kept_sites++;
    return true;
}

void leftovers_tell(const struct leftovers *leftovers, struct channel *channel) {
    channel->variant |= leftovers->forgotten ? VARIANT_FORGETS : 0;
    channel->kept_sites = leftovers->kept_sites;
    memcpy(channel->kept_site, leftovers->kept_site, sizeof leftovers->kept_site);
}
