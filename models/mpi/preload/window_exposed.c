/* In an agent: epochs of post and of fences of windows of which it does the accesses (window_served.h, window_within.h). */
#include "models/mpi/preload/window_agent_parts.h"

#include <string.h>

bool exposed_must_wait(const struct public_window *in, int origin, const struct agent_request *request) {
    const bool concludes = request->verb == AGENT_CONCLUDE;
    if (request->verb == AGENT_EXPOSE)
        return false;
    if (request->exposed == EXPOSED_BY_FENCE)
        return concludes ? in->brought < (uint64_t)request->start : in->begun < (uint64_t)request->start;
    return concludes ? in->listened_to > 0 : !in->listens[origin];
}

void exposed_begin(struct public_window *in, const struct agent_request *request) {
    const uint64_t *origin = (const uint64_t *)(request + 1);
    if (request->exposed == EXPOSED_BY_FENCE) {
        in->begun = (uint64_t)request->start;
        return;
    }
    for (uint32_t i = 0; i < request->parts; i++)
        in->listens[origin[i]] = 1;
    in->listened_to = request->parts;
}

void exposed_end(struct public_window *in, int origin) {
    in->listens[origin] = 0;
    in->listened_to--;
}

void exposed_conclude(struct public_window *in, const struct agent_request *request) {
    if (request->exposed == EXPOSED_BY_FENCE)
        in->begun = in->brought = 0;
    for (size_t i = 0; i < in->open.size;) {
        const struct open_access *open = (const struct open_access *)(in->open.bytes + i);
        if (open->exposed == request->exposed)
            agent_cut(&in->open, i, open->size);
        else
            i += open->size;
    }
}
