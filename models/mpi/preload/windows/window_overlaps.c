/* In an agent: windows of its owner that have the same memory, or part of it. Each has a public copy, and whatever changes the one
 * changes the other as well. Accesses through two of them at the same time must not meet, not even atomic ones (MPI-3.1 section
 * 11.2.1); for them to be found to, all accesses have to go on for a while (AGENTS_MEETING). */
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/window_agent_parts.h"

#include <stdlib.h>
#include <string.h>

/* Two that have a copy each. Segments of a shared window are in nobody else's but of those within them, which have no copy. */
static bool may_overlap(const struct public_window *a, const struct public_window *b) {
    return a != b && a->view == NULL && b->view == NULL && !a->is_within && !b->is_within;
}

/* What an offset in the other window is more: those of a dynamic one are addresses. */
static int64_t shift_to(const struct public_window *from, const struct public_window *to) { return from->base - to->base; }

/* NULL: it is not. To be freed. */
static struct access *seen_from(const struct public_window *other, const struct public_window *in,
                                const struct access *access) {
    if (bytes_may_be_same(in, other))
        return access_place_in(&other->memory, &in->memory, access);
    struct access *seen = malloc(access->size);
    memcpy(seen, access, access->size);
    struct access_run *run = (struct access_run *)access_runs(seen);
    for (uint64_t i = 0; i < seen->runs; i++)
        run[i].offset += shift_to(in, other);
    return seen;
}

static void check_open(struct public_window *in, const struct public_window *other, int origin, const struct access *access) {
    struct access_run at;
    for (size_t i = 0; i < other->open.size;) {
        const struct open_access *open = (const struct open_access *)(other->open.bytes + i);
        const struct access *first = agent_access_of(open);
        bool both_read = access_only_reads(first) && access_only_reads(access);
        if (!both_read && accesses_meet(first, access, &at))
            agent_note_fault(in, origin, AGENT_CONFLICT, first, access, &at);
        i += open->size;
    }
}

void overlaps_check_open(struct public_window *in, int origin, const struct access *access) {
    const struct public_window *other;
    for (size_t i = 0; (other = agent_window_at(i)) != NULL; i++) {
        if ((!may_overlap(in, other) && !bytes_may_be_same(in, other)) || other->open.size == 0)
            continue;
        struct access *seen = seen_from(other, in, access);
        if (seen != NULL)
            check_open(in, other, origin, seen);
        free(seen);
    }
}

void overlaps_copy_memory(const struct public_window *in, const struct access *access) {
    const struct public_window *other;
    for (size_t i = 0; (other = agent_window_at(i)) != NULL; i++) {
        if (may_overlap(in, other))
            window_memory_copy_runs(&in->memory, &other->memory, shift_to(in, other), access_runs(access), access->runs);
    }
}

void overlaps_copy_shadow(const struct public_window *in, const struct access *access) {
    const struct public_window *other;
    for (size_t i = 0; (other = agent_window_at(i)) != NULL; i++) {
        if (may_overlap(in, other))
            window_memory_copy_runs(&in->shadow, &other->shadow, shift_to(in, other), access_runs(access), access->runs);
    }
}

/* ---- accesses under locks, for epochs of fences or of post of other windows: see window_beside.h ---- */

enum { PASSED_MOST = 1 << 16 };

/* Whoever came first, the list is the same. */
static void insert(struct public_window *in, const struct access *place) {
    size_t at = 0;
    int order = 1;
    while (at < in->passed.size) {
        const struct access *other = (const struct access *)(in->passed.bytes + at);
        order = place->size != other->size ? (place->size < other->size ? -1 : 1) : memcmp(place, other, place->size);
        if (order <= 0)
            break;
        at += other->size;
    }
    if (order != 0)
        agent_insert(&in->passed, at, place, place->size);
}

void overlaps_note_passed(struct public_window *in, const struct open_access *open, const struct agent_request *request) {
    if (!in->keeps_passed)
        return;
    struct access *place = access_copy_place(agent_access_of(open));
    place->heard = request->bare ? PASSED_SOMETIME : (uint8_t)request->phase;
    insert(in, place);
    if (in->passed.size > PASSED_MOST)
        rank_refuse(
            place->function, place->site,
            "so many different accesses under locks in one epoch of another window of the same memory are not supported");
    free(place);
}

void overlaps_return_passed(struct public_window *in, int origin, const struct agent_request *request) {
    struct agent_reply head = {.size = in->passed.size};
    char *body = malloc(in->passed.size + in->open.size + 1);
    if (in->passed.size > 0)
        memcpy(body, in->passed.bytes, in->passed.size);
    for (size_t i = 0; i < in->open.size;) {
        const struct open_access *open = (const struct open_access *)(in->open.bytes + i);
        struct access *place = access_copy_place(agent_access_of(open));
        place->heard = PASSED_OPEN;
        memcpy(body + head.size, place, place->size);
        head.size += place->size;
        free(place);
        i += open->size;
    }
    agent_reply(origin, request, &head, body);
    free(body);
    agent_cut(&in->passed, 0, in->passed.size);
    in->keeps_passed = true;
}

void overlaps_begin(struct public_window *made) {
    const struct public_window *other;
    for (size_t i = 0; (other = agent_window_at(i)) != NULL; i++) {
        for (size_t k = 0; k < other->memory.regions && may_overlap(made, other); k++) {
            const struct window_region *region = &other->memory.region[k];
            const struct access_run all = {region->start, region->size};
            window_memory_copy_runs(&other->memory, &made->memory, shift_to(other, made), &all, 1);
            window_memory_copy_runs(&other->shadow, &made->shadow, shift_to(other, made), &all, 1);
        }
    }
}
