/* In an agent: epochs of post and of fences of windows of which it does the accesses (window_served.h, window_within.h). */
#include "models/mpi/preload/windows/window_agent_parts.h"

#include <stdlib.h>
#include <string.h>

static bool has_own_memory(const struct public_window *in) { return in->view != NULL || in->is_within; }

bool exposed_is_owners(const struct public_window *in, const struct agent_request *request) {
    return request->exposed == EXPOSED_BY_POST && !has_own_memory(in);
}

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
    if (!has_own_memory(in))
        window_memory_read(&in->posted, (const char *)(origin + request->parts));
}

void exposed_do_accesses(struct public_window *in, int origin, const struct agent_request *request, const char *bytes,
                         size_t size) {
    struct agent_reply head = {0};
    char *results = NULL;
    const struct access *end = (const struct access *)(bytes + size);
    for (const struct access *at = (const struct access *)bytes; at < end; at = access_next(at)) {
        results = realloc(results, head.size + at->result + 1);
        memset(results + head.size, 0, at->result);
        if (access_fits(&in->posted, at)) /* if not, the owner will say so */
            access_apply(&in->posted, at, results + head.size);
        head.size += at->result;
    }
    agent_reply(origin, request, &head, results);
    free(results);
}

void exposed_end(struct public_window *in, int origin) {
    in->listens[origin] = 0;
    in->listened_to--;
}

static void return_posted(struct public_window *in, int origin, const struct agent_request *request) {
    const struct agent_reply head = {.size = window_memory_bytes(&in->posted)};
    char *content = malloc(head.size);
    window_memory_write(&in->posted, content);
    agent_reply(origin, request, &head, content);
    free(content);
    window_memory_free(&in->posted);
}

static bool is_of_epoch(const struct open_access *open, void *context) {
    const uint8_t *exposed = context;
    return open->exposed == *exposed;
}

void exposed_conclude(struct public_window *in, int origin, const struct agent_request *request) {
    if (exposed_is_owners(in, request)) {
        return_posted(in, origin, request);
        return;
    }
    if (request->exposed == EXPOSED_BY_FENCE)
        in->begun = in->brought = 0;
    agent_end_open(in, is_of_epoch, &(uint8_t){request->exposed});
    struct agent_reply head = agent_take_fault(in, origin);
    agent_reply(origin, request, &head, NULL);
}
