#include "models/mpi/preload/windows/window_asking.h"

#include "models/mpi/preload/point_to_point/hidden_messages.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/shared_places.h"
#include "models/mpi/preload/windows/window_lost.h"
#include "models/mpi/preload/windows/window_told.h"

#include <stdlib.h>
#include <string.h>

struct agent_body agent_no_body(void) {
    return (struct agent_body){{"", ""}, {0, 0}};
}

int agent_home(const struct window *window, int target) {
    if (window->sharing != NULL)
        return 0;
    return window_is_within(window, target) ? window->target[target].within - 1 : target;
}

/* The number of the target's public copy among those of the window that its agent has. */
static int number_of(const struct window *window, int target) {
    if (window->sharing != NULL)
        return target;
    return window_is_within(window, target) ? 1 + target : 0;
}

int agent_reply_tag(const struct window *window, int target, int tag) {
    enum { TAGS = 2 };
    return tag + TAGS * number_of(window, target);
}

uint64_t agent_name_of(const struct window *window, int target) {
    return window->communicator->context + (uint64_t)number_of(window, target);
}

/* What the owner asks for is at these bytes, where its stores are, too. */
static size_t touch_parts(const struct agent_request *request, const struct agent_body *body, struct wire_touch *touch) {
    const struct wire_span *part = body->bytes[0];
    for (size_t i = 0; i < request->parts; i++) {
        const struct spans spans = {1, {part[i]}};
        const bool stores = body->size[1] > 0 && access_meets(body->bytes[1], &spans);
        touch[i] =
            (struct wire_touch){(int64_t)part[i].from, (int64_t)part[i].to - 1, stores ? WIRE_TOUCH_ALONE : WIRE_TOUCH_READS};
    }
    return request->parts;
}

/* A lock keeps others' epochs out in whatever phase they were made. */
static uint64_t touches_of_owner(uint64_t name, const struct agent_request *request, const struct agent_body *body) {
    struct wire_touch touch[WIRE_SPANS_MOST] = {touch_of_all(request->reads ? WIRE_TOUCH_READS : WIRE_TOUCH_ALONE)};
    const bool asks = request->delivers == AGENT_ASKS && request->verb != AGENT_LOCK;
    const size_t in_parts = request->verb == AGENT_RECONCILE ? touch_parts(request, body, touch) : 0;
    const size_t in_all = asks ? 0 : 1;
    const struct touches touches = {touch, in_parts > 0 ? in_parts : in_all,
                                    asks ? told_phases_but_next((uint8_t)request->phase) : 0};
    return asks ? touches_announce_asking(name, &touches) : touches_announce(name, &touches);
}

/* An access in an epoch of start, or that this is over for its origin, of which only the owner's AGENT_CONCLUDE takes notice. */
static uint64_t touches_of_exposed(uint64_t name, const struct agent_body *body) {
    struct touches touches = {0};
    if (body->size[0] > 0)
        touches_add(&touches, body->bytes[0]);
    touches.phases = UINT16_MAX;
    const uint64_t touched = touches_announce(name, &touches);
    touches_free(&touches);
    return touched;
}

/* The name of what a request touches; 0: that is not known, as of windows that have memory in common. What the owner asks for is
 * what has changed anywhere in the window, unless it says where. */
static uint64_t touches_of(const struct window *window, int target, const struct agent_request *request,
                           const struct agent_body *body) {
    const uint64_t name = window->communicator->context;
    const struct window_target *at = &window->target[target];
    const struct touches nothing = {NULL, 0, 0};
    if (window->sharing != NULL || rank_agents_meet())
        return 0;
    switch (request->verb) {
    case AGENT_LOCK:
        if (request->lock != MPI_LOCK_SHARED)
            return touches_announce_alone(name);
        return request->delivers == 0 ? touches_announce_with_lock(name, &nothing, false)
                                      : touches_of_owner(name, request, body);
    case AGENT_RECONCILE: return touches_of_owner(name, request, body);
    case AGENT_USE: return touches_announce(name, &window->uses);
    case AGENT_ACCESS:
        if (request->exposed != EXPOSED_NOT)
            return touches_of_exposed(name, body);
        if (request->lock != 0)
            return touches_announce_with_lock(name, &at->touched, true);
        if (at->lock != MPI_LOCK_SHARED)
            return touches_announce_alone(name);
        return request->unlocks ? touches_announce_with_lock(name, &at->touched, false) : touches_announce(name, &at->touched);
    default: return 0;
    }
}

void agent_ask(const struct caller *caller, const struct window *window, int target, struct agent_request request,
               struct agent_body body) {
    request.window = agent_name_of(window, target);
    if (request.reply != 0)
        request.reply = (uint32_t)agent_reply_tag(window, target, (int)request.reply);
    request.replies = window->agents->context;
    request.reads &= !window_is_loaded_by_others(window, target);
    const int tag = WIRE_TO_WINDOW | (request.reads ? WIRE_READS : 0);
    char *part = hidden_request(caller, window->agents->world[agent_home(window, target)], tag,
                                touches_of(window, target, &request, &body), sizeof request + body.size[0] + body.size[1]);
    memcpy(part, &request, sizeof request);
    part += sizeof request;
    for (size_t i = 0; i < 2; part += body.size[i], i++)
        memcpy(part, body.bytes[i], body.size[i]);
}

void agent_expect(const struct caller *caller, const struct window *window, int target, struct agent_replies *replies) {
    replies->request = realloc(replies->request, (replies->count + 1) * sizeof *replies->request);
    replies->target = realloc(replies->target, (replies->count + 1) * sizeof *replies->target);
    replies->request[replies->count] =
        hidden_receive(caller, window->agents->context, window->agents->world[agent_home(window, target)],
                       agent_reply_tag(window, target, AGENT_REPLY));
    replies->target[replies->count++] = target;
}

static _Noreturn void report_fault(const struct caller *caller, const struct window *window, int target,
                                   const struct agent_reply *reply) {
    int world = window->communicator->world[window->sharing != NULL ? target + (int)reply->segment : target];
    if (reply->fault == AGENT_CONFLICT)
        window_conflict(caller, world, &reply->first, &reply->second, &reply->at);
    if (reply->fault == AGENT_LOST)
        lost_report(caller, world, &reply->second, &reply->at);
    if (reply->fault == AGENT_UNCHECKED) {
        const struct wire_place place[2] = {
            {.site = window->opened.site, .rank = rank_number(), .function = window->opened.function}};
        rank_violation_at("rma-epoch", caller->function, caller->site, place,
                          "rank %d asked for a lock on the window of rank %d when rank %d had one that excludes it, and one of "
                          "them was asked for with MPI_MODE_NOCHECK",
                          rank_number(), world, reply->second.origin);
    }
    if (reply->fault == AGENT_OUTSIDE) {
        const struct wire_place place[2] = {
            {.site = reply->second.site, .rank = rank_number(), .function = reply->second.function}};
        rank_violation_at("invalid-argument", caller->function, caller->site, place,
                          "rank %d accesses memory that rank %d has not attached to the window", rank_number(), world);
    }
    long long last = (long long)(reply->at.offset + (int64_t)reply->at.length - 1);
    const struct shared_bytes bytes = {(struct window *)window, target + (int)reply->segment, (uint64_t)reply->at.offset,
                                       reply->at.length};
    if (window->sharing != NULL)
        places_judge_conflict(&bytes);
    if (window->sharing != NULL)
        rank_violation(
            "rma-conflict", caller->function, caller->site,
            "rank %d stored to bytes %lld to %lld of the shared memory of rank %d, which others stored to at the same "
            "time",
            rank_number(), (long long)reply->at.offset, last, world);
    rank_violation("rma-conflict", caller->function, caller->site,
                   "rank %d stored to bytes %lld to %lld of its window, which others had changed since it last "
                   "synchronised it",
                   world, (long long)reply->at.offset, last);
}

void agent_await(const struct caller *caller, struct window *window, struct agent_replies *replies,
                 void (*use)(const struct caller *caller, struct window *window, int target, const char *bytes, size_t size)) {
    struct wire_call call = {.kind = WIRE_CALL_WAIT_ALL,
                             .function = caller->function,
                             .requests = replies->count,
                             .peer = -1,
                             .tag = replies->place,
                             .site = caller->site};
    if (replies->count > 0) {
        const struct wire_resolution *answer = rank_block_first_half(&call, replies->request);
        for (uint32_t i = 0; i < replies->count; i++) {
            const char *bytes = rank_completion_data(rank_completion(answer, i));
            struct agent_reply head;
            memcpy(&head, bytes, sizeof head);
            hidden_request_release(replies->request[i]);
            if (head.fault != AGENT_NO_FAULT)
                report_fault(caller, window, replies->target[i], &head);
            use(caller, window, replies->target[i], bytes + sizeof head, head.size);
        }
        rank_block_second_half(&call, replies->request, answer);
    }
    free(replies->request);
    free(replies->target);
}

void agent_use_nothing(const struct caller *caller, struct window *window, int target, const char *bytes, size_t size) {
    (void)caller;
    (void)window;
    (void)target;
    (void)bytes;
    (void)size;
}

void agent_ask_and_wait(const struct caller *caller, struct window *window, int target, struct agent_request request,
                        struct agent_body body,
                        void (*use)(const struct caller *, struct window *, int, const char *, size_t)) {
    struct agent_replies replies = {0};
    request.reply = AGENT_REPLY;
    agent_ask(caller, window, target, request, body);
    agent_expect(caller, window, target, &replies);
    agent_await(caller, window, &replies, use);
}

void agent_ask_own(const struct caller *caller, struct window *window, struct agent_request request, struct agent_body body,
                   void (*use)(const struct caller *, struct window *, int, const char *, size_t)) {
    agent_ask_and_wait(caller, window, window->communicator->rank, request, body, use);
}
