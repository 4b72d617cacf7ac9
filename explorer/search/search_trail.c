#include "explorer/search/search_trail.h"
#include "explorer/containers/search_storage.h"

uint32_t trail_add(struct trail *trail, struct track track) {
    trail->track = storage_grow_large(trail->track, &trail->room, trail->count + 1, sizeof *trail->track);
    trail->track[trail->count] = track;
    return (uint32_t)trail->count++;
}

uint32_t *trail_path(const struct trail *trail, uint32_t at, size_t *length) {
    *length = 0;
    for (uint32_t i = at; i != TRAIL_NONE; i = trail->track[i].from)
        ++*length;
    uint32_t *path = storage_new(*length, sizeof *path);
    for (size_t i = *length; i-- > 0; at = trail->track[at].from)
        path[i] = at;
    return path;
}

uint64_t trail_memory(const struct trail *trail) { return trail->room * sizeof *trail->track; }

void trail_clear(struct trail *trail) {
    free(trail->track);
    *trail = (struct trail){0};
}
