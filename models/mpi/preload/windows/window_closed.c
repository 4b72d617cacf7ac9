/* In an agent: accesses that are complete since the window's owner last synchronised. Nothing that the owner has done since it
 * last synchronised can have come after their completion, of which it has not heard; nor has it said anything of its stores to
 * others, since before that it synchronises. So its stores must not meet them, nor what it has loaded since it said something
 * last what was put (window_exposure.h). And it may be that what it does next does not come after them either: that it judges
 * itself (told_may_go_on).
 *
 * Under an exclusive lock most come in one message with the request that completes them, so that the owner cannot have met them
 * in progress: if it loads what such a put has changed, when it has heard something that may or may not come after it, the explorer
 * starts over with agents that let them meet (own_accesses.c). Under a shared lock it can, but for the order in which it is told;
 * kept are those that stores, or what the window holds, do not show to have happened: puts, for the loads, and accumulates that left
 * all as it was.
 *
 * Accesses that only read leave no trace in the window, and should make no states of the agent either: of them it only knows
 * whether there were any. If the owner then stores something, the explorer starts over with agents that let them meet what it
 * says.
 *
 * Whose they were makes states of the agent as well, and hardly ever matters: agents know it once something is to be said of one
 * (AGENTS_NAMING), and then of several ranks that did the same name one. */
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/window_agent_parts.h"
#include "models/mpi/preload/windows/window_told.h"

#include <stdlib.h>
#include <string.h>

/* So that a long list, which is part of the agent's state, does not cost more than it is worth: what there is no room for is not
 * looked for. */
enum { CLOSED_MOST = 1 << 13 };

/* Whosever they are. */
static int compare(const struct access *a, struct access *b) {
    const int32_t origin = b->origin;
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    b->origin = a->origin;
    const int order = memcmp(a, b, a->size);
    b->origin = origin;
    return order;
}

static void add(struct public_window *in, struct access *place) {
    size_t at = 0;
    int order = 1;
    while (at < in->closed.size) {
        struct access *other = (struct access *)(in->closed.bytes + at);
        order = compare(place, other);
        if (order == 0 && place->origin < other->origin)
            other->origin = place->origin;
        if (order <= 0)
            break;
        at += other->size;
    }
    if (order != 0 && in->closed.size + place->size <= CLOSED_MOST)
        agent_insert(&in->closed, at, place, place->size);
}

static bool lets_owner_meet_all(void) { return rank_agents() == AGENTS_GENERAL && rank_agents_meet(); }

void closed_note(struct public_window *in, const struct open_access *open) {
    const struct access *access = agent_access_of(open);
    const int owner = rank_number() - rank_count();
    const bool exclusive = in->exclusive == access->origin;
    if (access->origin == owner || in->view != NULL || in->is_within)
        return;
    if (access_only_reads(access)) {
        in->fetched = in->fetched || (exclusive && !lets_owner_meet_all());
        return;
    }
    if (!exclusive && access->kind != ACCESS_PUT && open->changed)
        return;
    struct access *place = access_copy_place(access);
    if (access->kind == ACCESS_PUT)
        place->op = exclusive && !lets_owner_meet_all();
    if (!rank_agents_name())
        place->origin = WIRE_RANK_UNTOLD;
    add(in, place);
    free(place);
}

void closed_check(struct public_window *in, const struct access *stores) {
    if (in->fetched)
        rank_want_agents(AGENTS_GENERAL | AGENTS_MEETING);
    const struct access *end = (const struct access *)(in->closed.bytes + in->closed.size);
    struct access_run at;
    for (const struct access *access = (const struct access *)in->closed.bytes; access < end; access = access_next(access)) {
        if (access_relate(access, stores, &at) == ACCESS_CONFLICT)
            agent_note_fault(in, stores->origin, AGENT_CONFLICT, access, stores, &at);
    }
}

char *closed_append(const struct public_window *in, const struct agent_request *request, char *bytes, uint64_t *size) {
    const struct access *end = (const struct access *)(in->closed.bytes + in->closed.size);
    for (const struct access *access = (const struct access *)in->closed.bytes; access < end; access = access_next(access)) {
        if (access->kind != ACCESS_PUT || !agent_is_wanted(request, access))
            continue;
        bytes = realloc(bytes, *size + access->size);
        struct access *copy = (struct access *)(bytes + *size);
        memcpy(copy, access, access->size);
        copy->kind = access->op ? ACCESS_LONELY_PUT : ACCESS_COMPLETE_PUT;
        copy->op = 0;
        *size += access->size;
    }
    return bytes;
}

void closed_forget_over(struct public_window *in, uint8_t phase) {
    for (size_t at = 0; at < in->closed.size;) {
        const struct access *access = (const struct access *)(in->closed.bytes + at);
        if (told_is_over(access->heard, phase))
            agent_cut(&in->closed, at, access->size);
        else
            at += access->size;
    }
}

void closed_forget_at(struct public_window *in, const struct spans *spans) {
    const size_t size = in->closed.size;
    char *closed = malloc(size + 1);
    memcpy(closed, in->closed.bytes, size);
    agent_cut(&in->closed, 0, size);
    const struct access *end = (const struct access *)(closed + size);
    for (const struct access *access = (const struct access *)closed; access < end; access = access_next(access)) {
        struct access *rest = access_part(access, spans, false);
        if (rest != NULL)
            add(in, rest);
        free(rest);
    }
    free(closed);
}

void closed_forget(struct public_window *in) {
    agent_cut(&in->closed, 0, in->closed.size);
    in->fetched = false;
}
