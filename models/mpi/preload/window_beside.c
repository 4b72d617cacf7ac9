#include "models/mpi/preload/window_beside.h"

#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/window_told.h"

#include <stdlib.h>
#include <string.h>

/* Equal ones count once, as the last. */
struct beside {
    struct access *access; /* without data, as the window has its bytes */
    size_t own;            /* accesses of this process to itself that it had issued before */
    uint8_t barriers;      /* that this process had left in the epoch before */
};

static bool has_epoch(const struct window *window) {
    return (window->epoch == EPOCH_FENCE || window->exposed) && window->sharing == NULL;
}

/* Adds those of `length` bytes from `at` on that are in the window. */
static void add_runs(const struct window *window, struct access **access, const char *at, uint64_t length) {
    for (size_t i = 0; i < window->memory.regions; i++) {
        const struct window_region *region = &window->memory.region[i];
        const intptr_t start = (intptr_t)region->bytes, end = start + (intptr_t)region->size,
                       last = (intptr_t)at + (intptr_t)length;
        const intptr_t from = (intptr_t)at > start ? (intptr_t)at : start, to = last < end ? last : end;
        if (from >= to)
            continue;
        *access = realloc(*access, (*access)->size + sizeof(struct access_run));
        struct access_run *run = (struct access_run *)access_runs(*access) + (*access)->runs++;
        *run = (struct access_run){region->start + (from - start), (uint64_t)(to - from)};
        (*access)->size += sizeof *run;
    }
}

/* What the access through another window is to in this one; to be freed. NULL: nothing. */
static struct access *place_in(const struct window *window, const struct window *through, const struct access *access) {
    struct access *place = malloc(sizeof *place);
    *place = *access;
    place->size = sizeof *place;
    place->heard = 0;
    place->runs = place->bytes = place->result = 0;
    for (uint64_t i = 0; i < access->runs; i++) {
        struct access_run run = access_runs(access)[i];
        uint64_t length;
        for (const char *at; (at = window_memory_take(&through->memory, &run, &length)) != NULL;)
            add_runs(window, &place, at, length);
    }
    if (place->runs > 0)
        return place;
    free(place);
    return NULL;
}

/* Where it is noted. */
static struct beside *room_for(struct window *window, struct access *place) {
    for (size_t i = 0; i < window->beside_count; i++) {
        struct beside *beside = &window->beside[i];
        if (beside->access->size != place->size || memcmp(beside->access, place, place->size) != 0)
            continue;
        free(beside->access);
        return beside;
    }
    window->beside = realloc(window->beside, (window->beside_count + 1) * sizeof *window->beside);
    return &window->beside[window->beside_count++];
}

static void note(struct window *window, const struct window *through, const struct access *access) {
    struct access *place = place_in(window, through, access);
    if (place == NULL)
        return;
    if (!access_only_reads(place)) /* it is no store of the owner's */
        window_memory_copy_runs(&window->memory, &window->shadow, 0, access_runs(place), place->runs);
    struct beside *beside = room_for(window, place);
    memset(beside, 0, sizeof *beside);
    *beside = (struct beside){place, window->target[window->communicator->rank].issued_count, window->barriers};
}

void beside_note(const struct window *through, const char *batch, size_t size) {
    const struct access *end = (const struct access *)(batch + size);
    struct window *window;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++) {
        if (window == through || !has_epoch(window))
            continue;
        for (const struct access *access = (const struct access *)batch; access < end; access = access_next(access))
            note(window, through, access);
    }
}

/* `own`: as many accesses of this process to itself come before it. */
static bool comes_after(const struct access *access, size_t own, const struct beside *beside) {
    return access->origin == rank_number() ? own >= beside->own : told_barriers(access->heard) > beside->barriers;
}

static void check(const struct caller *caller, const struct window *window, const struct access *access, size_t own) {
    struct access_run at;
    for (size_t i = 0; i < window->beside_count; i++) {
        const struct beside *beside = &window->beside[i];
        const bool both_read = access_only_reads(beside->access) && access_only_reads(access);
        if (!both_read && accesses_meet(beside->access, access, &at) && !comes_after(access, own, beside))
            window_conflict(caller, rank_number(), beside->access, access, &at);
    }
}

void beside_check(const struct caller *caller, const struct window *window, const char *batch, size_t size) {
    const struct access *end = (const struct access *)(batch + size);
    size_t own = 0;
    for (const struct access *access = (const struct access *)batch; access < end; access = access_next(access)) {
        check(caller, window, access, own);
        own += access->origin == rank_number();
    }
}

void beside_forget(struct window *window) {
    for (size_t i = 0; i < window->beside_count; i++)
        free(window->beside[i].access);
    free(window->beside);
    window->beside = NULL;
    window->beside_count = 0;
}
