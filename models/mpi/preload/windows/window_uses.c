#include "models/mpi/preload/windows/window_uses.h"

#include "models/mpi/preload/buffers/pending_buffers.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/window_asking.h"
#include "models/mpi/preload/windows/window_passive.h"

#include <stdlib.h>
#include <string.h>

/* As the agent is told of them: one access each, to its bytes within the window. */
struct uses {
    const struct window *window;
    char *bytes;
    size_t size;
};

static void add_run(struct uses *uses, struct access **use, struct access_run run) {
    const size_t at = (size_t)((char *)*use - uses->bytes);
    uses->bytes = realloc(uses->bytes, uses->size + sizeof run);
    memcpy(uses->bytes + uses->size, &run, sizeof run);
    uses->size += sizeof run;
    *use = (struct access *)(uses->bytes + at);
    (*use)->size += sizeof run;
    (*use)->runs++;
}

/* The part of a piece of memory that is in the region. */
static void add_piece(struct uses *uses, struct access **use, const struct window_region *region, intptr_t piece, size_t size) {
    const intptr_t from = (intptr_t)region->bytes, to = from + (intptr_t)region->size, end = piece + (intptr_t)size;
    const intptr_t first = piece > from ? piece : from, last = end < to ? end : to;
    if (first < last && !region->lost)
        add_run(uses, use, (struct access_run){region->start + (first - from), (uint64_t)(last - first)});
}

static void add_use(struct uses *uses, const struct caller *maker, uint8_t kind, const struct footprint *buffer) {
    const struct access head = {
        .size = sizeof head, .kind = kind, .function = maker->function, .origin = rank_number(), .site = maker->site};
    const size_t before = uses->size;
    uses->bytes = realloc(uses->bytes, before + sizeof head);
    memcpy(uses->bytes + before, &head, sizeof head);
    uses->size += sizeof head;
    struct access *use = (struct access *)(uses->bytes + before);
    for (uint32_t i = 0; i < buffer->combs; i++) {
        const struct comb *comb = footprint_comb(buffer, i);
        for (size_t k = 0; k < comb->pieces; k++)
            for (size_t region = 0; region < uses->window->memory.regions; region++)
                add_piece(uses, &use, &uses->window->memory.region[region], comb->at + (ptrdiff_t)k * comb->distance,
                          comb->size);
    }
    if (use->runs == 0)
        uses->size = before;
}

static void add(const struct caller *maker, const struct buffers *buffers, void *context) {
    struct uses *uses = context;
    add_use(uses, maker, ACCESS_GIVEN, &buffers->given);
    add_use(uses, maker, ACCESS_TAKEN, &buffers->taken);
}

/* To be freed. */
static struct uses list(const struct window *window) {
    struct uses uses = {window, NULL, 0};
    pending_buffers_for_each_access(add, &uses);
    return uses;
}

static bool holds(const struct uses *uses, const struct access *use) {
    const struct access *end = (const struct access *)(uses->bytes + uses->size);
    for (const struct access *at = (const struct access *)uses->bytes; at < end; at = access_next(at)) {
        if (at->size == use->size && memcmp(at, use, use->size) == 0)
            return true;
    }
    return false;
}

static bool holds_all(const struct uses *uses, const struct uses *others) {
    const struct access *end = (const struct access *)(others->bytes + others->size);
    for (const struct access *at = (const struct access *)others->bytes; at < end; at = access_next(at)) {
        if (!holds(uses, at))
            return false;
    }
    return true;
}

static void add_touches(struct touches *touches, const struct uses *uses) {
    const struct access *end = (const struct access *)(uses->bytes + uses->size);
    for (const struct access *at = (const struct access *)uses->bytes; at < end; at = access_next(at))
        touches_add(touches, at);
}

void uses_tell(const struct caller *caller, struct window *window, bool waits) {
    if (window->agents == NULL || window_is_for_others_to_load(window) || (window->used == NULL && !pending_buffers_any()))
        return;
    const struct uses told = {window, window->used, window->used_size}, now = list(window);
    const bool ends = !holds_all(&now, &told);
    if ((ends && !waits) || (!ends && holds_all(&told, &now))) {
        free(now.bytes);
        return;
    }
    touches_free(&window->uses);
    add_touches(&window->uses, &told);
    add_touches(&window->uses, &now);
    window->used = now.bytes;
    window->used_size = now.size;
    const struct agent_request request = {.verb = AGENT_USE};
    const struct agent_body body = {{now.bytes, ""}, {now.size, 0}};
    if (ends)
        agent_ask_own(caller, window, request, body, agent_use_nothing);
    else
        agent_ask(caller, window, window->communicator->rank, request, body);
    free(told.bytes);
    touches_free(&window->uses);
    if (now.size > 0)
        return;
    free(window->used);
    window->used = NULL;
}

void uses_forget(struct window *window) { free(window->used); }
