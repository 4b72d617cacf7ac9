#include "models/mpi/preload/windows/window_lost.h"

#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/own_accesses.h"
#include "models/mpi/preload/windows/window_exposure.h"
#include "models/mpi/preload/windows/window_passive.h"

#include <stdlib.h>
#include <string.h>

static void lose(const struct caller *caller, struct window *window, size_t i) {
    struct window_region *region = &window->memory.region[i];
    const struct window_memory *last = i < window->published.regions ? &window->published : &window->shadow;
    exposure_uncover();
    char *copy = malloc(region->size + 1);
    memcpy(copy, last->region[i].bytes, region->size);
    region->bytes = copy;
    region->lost = 1;
    passive_lose(caller, window, i);
}

void lost_look(const struct caller *caller, struct window *window) {
    for (size_t i = 0; i < window->memory.regions && window->lent != NULL; i++) {
        if (window->lent[i] != NULL && !window->memory.region[i].lost && lent_memory_is_lost(window->lent[i]))
            lose(caller, window, i);
    }
}

void lost_forget(struct window_region *region) {
    if (region->lost)
        free(region->bytes);
}

void lost_report(const struct caller *caller, int owner, const struct access *access, const struct access_run *at) {
    const struct wire_place place[2] = {{.site = access->site, .rank = access->origin, .function = access->function}};
    rank_violation_at(
        "buffer-in-use", caller->function, caller->site, place,
        "rank %d accesses bytes from %lld on of the window of rank %d, which had been freed, or were on the stack of a "
        "function that had returned",
        access->origin, (long long)at->offset, owner);
}
