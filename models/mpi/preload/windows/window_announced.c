#include "models/mpi/preload/windows/window_announced.h"

#include "ckpt/channel.h"
#include "models/mpi/functions.h"
#include "models/mpi/preload/point_to_point/hidden_messages.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/window_exposure.h"
#include "models/mpi/preload/windows/window_sharing.h"
#include "models/mpi/preload/windows/window_told.h"

#include <stdlib.h>
#include <string.h>

enum { TAG_ANNOUNCED = 4 }; /* on the window's communicator: window_post.c has those before */

/* What a message holds; what the access is to follows, without its data. */
struct announcement {
    uint32_t epoch; /* of those that the origin has started with the target, or fences begun without the others */
    uint32_t posted;
};

static const struct access *place_of(const struct announcement *announcement) {
    return (const struct access *)(announcement + 1);
}

int announced_agents_wanted(const struct window *window) {
    if (window->sharing != NULL || sharing_any() || rank_announces())
        return 0;
    return rank_agents_of_kind(rank_agents() | AGENTS_ANNOUNCING);
}

void announced_require(const struct window *window) {
    if (announced_agents_wanted(window) != 0)
        rank_want_agents(rank_agents() | AGENTS_ANNOUNCING);
}

/* ---- the origin ---- */

/* Had the origin heard something of which it is not known when it was said? `posted`: it is no epoch of fences. */
static bool is_announced(const struct access *access, bool posted) {
    const bool heard = posted ? access->heard != HEARD_NOTHING : (access->heard & HEARD_MORE) != 0;
    return heard && !access_only_reads(access);
}

void announced_issue(const struct caller *caller, struct window *window, int target) {
    const struct window_target *at = &window->target[target];
    const bool posted = window->epoch == EPOCH_START;
    if (!rank_announces() || target == window->communicator->rank || (!posted && window->epoch != EPOCH_FENCE) ||
        !is_announced(at->issued[at->issued_count - 1].access, posted))
        return;
    struct access *place = access_copy_place(at->issued[at->issued_count - 1].access);
    const struct announcement head = {posted ? at->starts : window->begun, posted};
    char *part = hidden_send(caller, window->communicator->context, window->communicator->world[target], TAG_ANNOUNCED,
                             sizeof head + place->size);
    memcpy(part, &head, sizeof head);
    memcpy(part + sizeof head, place, place->size);
    free(place);
}

bool announced_by(const struct wire_operation *operation) {
    const struct window *window;
    if (!rank_announces() || operation->kind != WIRE_SEND || operation->tag != TAG_ANNOUNCED)
        return false;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++) {
        if (window->communicator->context == operation->context)
            return true;
    }
    return false;
}

void announced_start(struct window *window, int target) { window->target[target].starts += rank_announces(); }

/* ---- the target ---- */

void announced_post(struct window *window, int origin) { window->target[origin].posts += rank_announces(); }

static struct window_target *origin_of(const struct window *window, const struct access *access) {
    return (struct window_target *)&window->target[communicator_rank_of(window->communicator, access->origin)];
}

/* An origin may be ahead of the target. */
static bool is_of_this_epoch(const struct window *window, const struct announcement *announcement) {
    const struct window_target *origin = origin_of(window, place_of(announcement));
    if (announcement->posted)
        return window->exposed && origin->in_exposure_group && origin->posts == announcement->epoch;
    return !window->exposed && window->epoch == EPOCH_FENCE && window->begun == announcement->epoch;
}

/* The next one of the member, which has been sent; to be freed. */
static struct announcement *receive(const struct caller *caller, struct window *window, int member) {
    const uint32_t request =
        hidden_receive(caller, window->communicator->context, window->communicator->world[member], TAG_ANNOUNCED);
    const struct wire_call call = {
        .kind = WIRE_CALL_WAIT_ALL, .function = caller->function, .requests = 1, .peer = -1, .site = caller->site};
    const struct wire_resolution *answer = rank_block_first_half(&call, &request);
    const struct wire_completion *completion = rank_completion(answer, 0);
    struct announcement *announcement = malloc(completion->data);
    memcpy(announcement, rank_completion_data(completion), completion->data);
    hidden_request_release(request);
    rank_block_second_half(&call, &request, answer);
    return announcement;
}

/* Whom one has come from; MPI_UNDEFINED: nobody, as far as is known. */
static int find(const struct caller *caller, const struct window *window) {
    const struct wire_call call = {.kind = WIRE_CALL_IPROBE,
                                   .function = caller->function,
                                   .context = window->communicator->context,
                                   .peer = WIRE_ANY_SOURCE,
                                   .tag = TAG_ANNOUNCED,
                                   .site = caller->site};
    const struct wire_resolution *answer = rank_block_first_half(&call, NULL);
    const int world = answer->kind == WIRE_FOUND ? rank_completion(answer, 0)->source : -1;
    rank_block_second_half(&call, NULL, answer);
    return world < 0 ? MPI_UNDEFINED : communicator_rank_of(window->communicator, world);
}

static void check_sent(const struct window *window, const struct access *access, struct access_run run) {
    uint64_t length;
    for (const char *at; (at = window_memory_take(&window->memory, &run, &length)) != NULL;) {
        const struct caller *teller = told_find(window, (uintptr_t)at, (uintptr_t)at + length, PIECE_HEARD);
        if (teller == NULL)
            continue;
        const struct wire_place place[2] = {{.site = access->site, .rank = access->origin, .function = access->function},
                                            {.site = teller->site, .rank = rank_number(), .function = teller->function}};
        rank_violation_at("rma-conflict", teller->function, teller->site, place,
                          "memory of the rank's window that rank %d accesses by %s is sent by %s in the same epoch",
                          access->origin, function_name(access->function), function_name(teller->function));
    }
}

/* What the process has read or sent since its last word is in conflict with that, which has been announced. */
static void judge(struct window *window, const struct announcement *announcement) {
    struct access *access = access_copy_place(place_of(announcement));
    access->heard = PIECE_HEARD;
    for (uint64_t i = 0; i < access->runs; i++)
        check_sent(window, access, access_runs(access)[i]);
    exposure_note(window, (const char *)access, access->size);
    free(access);
}

/* One that is for an epoch to come counts for nothing now: it might as well have been missed. */
static void take(const struct caller *caller, struct window *window, int member) {
    struct announcement *announcement = receive(caller, window, member);
    window->target[member].announced++;
    if (is_of_this_epoch(window, announcement))
        judge(window, announcement);
    free(announcement);
}

static bool ends_epoch(const struct window *window, const struct wire_operation *operation) {
    return operation->kind == WIRE_COLLECTIVE && operation->context == window->communicator->context;
}

void announced_look(const struct wire_operation *operation) {
    const struct caller caller = {operation->function, operation->site};
    struct window *window;
    if (!rank_announces() || sharing_any() || !told_may_give(operation))
        return;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++) {
        if (!window_is_target(window) || ends_epoch(window, operation))
            continue;
        for (int member; (member = find(&caller, window)) != MPI_UNDEFINED;)
            take(&caller, window, member);
    }
}

void announced_end(const struct caller *caller, struct window *window, const char *batch, size_t size) {
    const struct access *end = (const struct access *)(batch + size);
    if (!rank_announces())
        return;
    for (const struct access *access = (const struct access *)batch; access < end; access = access_next(access)) {
        struct window_target *origin = origin_of(window, access);
        if (access->origin == rank_number() || !is_announced(access, window->exposed))
            continue;
        if (origin->announced > 0)
            origin->announced--;
        else
            free(receive(caller, window, (int)(origin - window->target)));
    }
}
