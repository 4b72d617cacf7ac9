#include "models/mpi/preload/windows/window_touches.h"

#include "models/mpi/preload/datatypes/data.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/window_told.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdlib.h>
#include <string.h>

enum { TOUCHES_MOST = 32 }; /* with more than that, all bytes from the first to the last are touched */

static int order(const void *one, const void *other) {
    const struct wire_touch *a = one, *b = other;
    if (a->manner != b->manner)
        return a->manner < b->manner ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

/* Without those that are part of others, or go on where others end. */
static void unite(struct touches *touches) {
    size_t kept = 0;
    qsort(touches->touch, touches->count, sizeof *touches->touch, order);
    for (size_t i = 0; i < touches->count; i++) {
        const struct wire_touch *touch = &touches->touch[i];
        struct wire_touch *before = kept > 0 ? &touches->touch[kept - 1] : NULL;
        if (before == NULL || before->manner != touch->manner || before->last + 1 < touch->first)
            touches->touch[kept++] = *touch;
        else if (before->last < touch->last)
            before->last = touch->last;
    }
    touches->count = kept;
}

static void simplify(struct touches *touches) {
    struct wire_touch whole = touches->touch[0];
    for (size_t i = 1; i < touches->count; i++) {
        const struct wire_touch *touch = &touches->touch[i];
        whole.first = touch->first < whole.first ? touch->first : whole.first;
        whole.last = touch->last > whole.last ? touch->last : whole.last;
        whole.manner = touch->manner == whole.manner ? whole.manner : (uint64_t)WIRE_TOUCH_ALONE;
    }
    touches->touch[0] = whole;
    touches->count = 1;
}

/* In which manner a run of the access is touched. Elements must be the same, not only bytes. */
static uint64_t manner_of(const struct access *access, const struct access_run *run) {
    if (access_only_reads(access))
        return WIRE_TOUCH_READS;
    if (!access_is_atomic(access))
        return WIRE_TOUCH_ALONE;
    const int64_t size = data_size(access->type);
    const int64_t fields[] = {access->kind, access->op, access->type, (run->offset % size + size) % size};
    const uint64_t same = (XXH3_64bits(fields, sizeof fields) & ~(uint64_t)WIRE_ACCUMULATING) | WIRE_TOUCH_ACCUMULATES;
    return same | (access_commutes_with_itself(access) ? WIRE_ADDS : WIRE_IN_ORDER);
}

void touches_add(struct touches *touches, const struct access *access) {
    touches->touch = realloc(touches->touch, (touches->count + access->runs + 1) * sizeof *touches->touch);
    for (uint64_t i = 0; i < access->runs; i++) {
        const struct access_run *run = &access_runs(access)[i];
        if (run->length > 0)
            touches->touch[touches->count++] =
                (struct wire_touch){run->offset, run->offset + (int64_t)run->length - 1, manner_of(access, run)};
    }
    touches->phases |= told_phase(access->heard);
    unite(touches);
    if (touches->count > TOUCHES_MOST)
        simplify(touches);
}

void touches_made(struct touches *touches) {
    for (size_t i = 0; i < touches->count; i++) {
        uint64_t *manner = &touches->touch[i].manner;
        if (*manner & WIRE_TOUCH_ACCUMULATES)
            *manner = (*manner & ~(uint64_t)WIRE_ACCUMULATING) | WIRE_COMPLETES;
    }
    unite(touches);
}

void touches_free(struct touches *touches) {
    free(touches->touch);
    *touches = (struct touches){NULL, 0, 0};
}

struct wire_touch touch_of_all(uint64_t manner) {
    return (struct wire_touch){INT64_MIN, INT64_MAX, manner};
}

/* `head`: without a name, which it gets. */
static uint64_t announce(struct wire_touches head, const struct wire_touch *touch) {
    const uint64_t kind = XXH3_64bits_withSeed(&head, sizeof head, head.window);
    head.name = XXH3_64bits_withSeed(touch, head.touches * sizeof *touch, kind) | 1;
    rank_announce_touches(&head, touch);
    return head.name;
}

uint64_t touches_announce(uint64_t window, const struct touches *touches) {
    return announce((struct wire_touches){.window = window, .touches = (uint32_t)touches->count, .phases = touches->phases},
                    touches->touch);
}

uint64_t touches_announce_asking(uint64_t window, const struct touches *touches) {
    return announce(
        (struct wire_touches){.window = window, .touches = (uint32_t)touches->count, .asks = 1, .phases = touches->phases},
        touches->touch);
}

/* The lock has a place of its own, where no access is. */
uint64_t touches_announce_with_lock(uint64_t window, const struct touches *touches, bool exclusive) {
    enum { IN_TURN = 2 }; /* a manner of its own */
    struct wire_touch *touch = malloc((touches->count + 1) * sizeof *touch);
    touch[0] = (struct wire_touch){INT64_MIN, INT64_MIN, exclusive ? (uint64_t)IN_TURN : (uint64_t)WIRE_TOUCH_READS};
    for (size_t i = 0; i < touches->count; i++)
        touch[i + 1] = touches->touch[i];
    const uint64_t name = announce(
        (struct wire_touches){.window = window, .touches = (uint32_t)touches->count + 1, .phases = touches->phases}, touch);
    free(touch);
    return name;
}

uint64_t touches_announce_alone(uint64_t window) { return announce((struct wire_touches){.window = window, .alone = 1}, NULL); }
