#include "models/mpi/preload/windows/window_within.h"

#include "models/mpi/functions.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/shared_places.h"
#include "models/mpi/preload/windows/window_asking.h"
#include "models/mpi/preload/windows/window_passive.h"
#include "models/mpi/preload/windows/window_sharing.h"

#include <stdlib.h>

static _Noreturn void refuse(const struct caller *caller) {
    rank_refuse(
        caller->function, caller->site,
        "%s of memory that is in a shared window in part only, or of whose members the first is not in the group, is not "
        "supported",
        function_name(caller->function));
}

/* Takes the first part off `region` that is in one segment; false: it begins in none. */
static bool take_part(struct window_region *region, struct shared_bytes *part) {
    if (region->size == 0 || !shared_bytes_at((uintptr_t)region->bytes, region->size, part))
        return false;
    const uint64_t behind = part->window->target[part->segment].size - part->offset;
    part->size = behind < region->size ? behind : region->size;
    region->start += (int64_t)part->size;
    region->bytes += part->size;
    region->size -= part->size;
    return true;
}

void within_begin(const struct caller *caller, struct window *window) {
    struct window_region rest = window->memory.regions > 0 ? window->memory.region[0] : (struct window_region){0};
    const struct window *sharing = NULL;
    struct shared_bytes part;
    if (window->sharing != NULL || rest.size == 0 || !sharing_holds((uintptr_t)rest.bytes, (uintptr_t)rest.bytes + rest.size))
        return;
    while (take_part(&rest, &part)) {
        if (sharing != NULL && sharing != part.window)
            refuse(caller);
        sharing = part.window;
    }
    const int home =
        sharing == NULL ? MPI_UNDEFINED : communicator_rank_of(window->communicator, sharing->communicator->world[0]);
    if (rest.size > 0 || home == MPI_UNDEFINED)
        refuse(caller);
    if (rank_agents() < AGENTS_GENERAL || !rank_agents_meet())
        passive_begin_anew(caller, AGENTS_GENERAL, AGENTS_MEETING);
    window->target[window->communicator->rank].within = 1 + home;
}

void within_ask_creation(const struct caller *caller, struct window *window, const char *gone, size_t size) {
    struct window_region rest = window->memory.region[0];
    struct part_of_segment *parts = NULL;
    struct shared_bytes bytes;
    uint16_t count = 0;
    for (int64_t start = 0; take_part(&rest, &bytes); start = rest.start) {
        parts = realloc(parts, ((size_t)count + 1) * sizeof *parts);
        parts[count++] =
            (struct part_of_segment){agent_name_of(bytes.window, bytes.segment), (int64_t)bytes.offset, start, bytes.size};
    }
    agent_ask_own(caller, window, (struct agent_request){.verb = AGENT_CREATE_WITHIN, .parts = count},
                  (struct agent_body){{gone, parts}, {size, count * sizeof *parts}}, agent_use_nothing);
    free(parts);
}
