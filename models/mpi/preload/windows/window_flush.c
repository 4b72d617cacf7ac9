/* Accesses under locks (MPI-3.1 section 11.5.4): when they leave for the target's agent, and how they are completed: by
 * MPI_Win_flush and its kin, or by their own requests.
 *
 * Under a shared lock accesses leave at the latest when the process blocks, so that they can meet others' at the target; each
 * message holds at most one atomic access, so that others' can come between any two. Under an exclusive lock nothing can come
 * between but what comes through another window of the same memory, and they leave when they have to be complete, or before the
 * process says something to others, so that what others do then can meet them. */
#include "models/mpi/functions.h"
#include "models/mpi/preload/point_to_point/request_table.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/own_accesses.h"
#include "models/mpi/preload/windows/window_asking.h"
#include "models/mpi/preload/windows/window_passive.h"

#include <stdlib.h>
#include <string.h>

/* Those of the accesses before number `end` that have not been sent, as one block to be freed. */
static char *take_unsent(struct window_target *target, size_t end, size_t *size) {
    *size = 0;
    for (size_t i = target->sent_count; i < end; i++)
        *size += target->issued[i].access->size;
    char *batch = *size > 0 ? malloc(*size) : NULL;
    for (char *at = batch; target->sent_count < end; target->sent_count++) {
        const struct access *access = target->issued[target->sent_count].access;
        memcpy(at, access, access->size);
        at += access->size;
    }
    return batch;
}

static void note_touched(struct window_target *at, const struct access *access, bool in_epoch) {
    at->changes = at->changes || !access_only_reads(access);
    if (at->lock == MPI_LOCK_SHARED || in_epoch)
        touches_add(&at->touched, access);
}

/* Is it the first message of the epoch, and the last? Otherwise the lock goes before it. */
static bool is_epoch(struct window *window, int target, const struct agent_request *request) {
    const bool whole = request->unlocks && window->unasked == target + 1;
    if (whole)
        window->unasked = 0;
    else
        passive_ask_lock(window);
    return whole;
}

/* Sends accesses under a lock. */
static void ask_access(const struct caller *caller, struct window *window, int target, struct agent_request request,
                       const char *batch, size_t size) {
    struct window_target *at = &window->target[target];
    const struct access *end = (const struct access *)(batch + size);
    const bool in_epoch = is_epoch(window, target, &request);
    touches_made(&at->touched);
    for (const struct access *access = (const struct access *)batch; access < end; access = access_next(access))
        note_touched(at, access, in_epoch);
    request.verb = AGENT_ACCESS;
    request.lock = in_epoch ? (uint16_t)at->lock : 0;
    if (rank_agents_meet())
        request.phase = window->phase;
    request.reads = !at->changes && at->lock == MPI_LOCK_SHARED;
    agent_ask(caller, window, target, request, (struct agent_body){{batch, ""}, {size, 0}});
    if (request.closes) {
        at->changes = false;
        touches_free(&at->touched);
    }
}

/* Sends what was issued before number `end`, for which nobody waits yet. */
static void send_unsent(struct window *window, int target, size_t end) {
    struct window_target *at = &window->target[target];
    size_t size;
    char *batch = take_unsent(at, end, &size);
    if (size > 0) {
        const struct access *first = (const struct access *)batch;
        const struct caller issuer = {first->function, first->site};
        ask_access(&issuer, window, target, (struct agent_request){0}, batch, size);
    }
    free(batch);
}

/* An accumulate must not meet one with another operator or datatype, but for those that mix with any (window_accesses.c), nor the
 * owner's stores, which notice by themselves what has changed the window. MPI_Fetch_and_op is left out as well: it is what locks
 * and counters are made of, where it costs much. Unless it is needed: with several operators (window_operators.c) or windows of the
 * same memory (window_overlaps.c). */
static bool must_meet_others(const struct access *access) {
    if (!access_is_atomic(access) || rank_agents_meet())
        return true;
    return access->kind != ACCESS_COMPARE_AND_SWAP && access->op != MPI_REPLACE &&
           access->function != FUNCTION_MPI_Fetch_and_op;
}

/* *others: are there some that others' accesses could be in conflict with? */
static bool has_unsent_atomic(const struct window_target *target, size_t end, bool *others) {
    bool found = false;
    *others = false;
    for (size_t i = target->sent_count; i < end; i++) {
        bool atomic = access_is_atomic(target->issued[i].access);
        found = found || atomic;
        *others = *others || must_meet_others(target->issued[i].access);
    }
    return found;
}

/* Is its request the program's still, and not complete? The number may be another one's by now. */
static bool is_fetching(const struct window *window, int target, const struct fetching *fetching) {
    const struct request *request = request_find(fetching->request);
    return request != NULL && request->state == REQUEST_ACTIVE && request->transfer.communicator == window->agents &&
           request->transfer.peer == agent_home(window, target);
}

static void forget_fetching(struct window_target *at) {
    for (size_t i = 0; i < at->fetching_count; i++)
        free(at->fetching[i].access);
    free(at->fetching);
    at->fetching = NULL;
    at->fetching_count = 0;
}

/* The agent takes what a request gets for complete when it answers, which this process does not know before the request is. */
static void check_fetching(const struct caller *caller, const struct window *window, int target, const struct access *access) {
    const struct window_target *at = &window->target[target];
    struct access_run run;
    for (size_t i = 0; i < at->fetching_count; i++) {
        if (is_fetching(window, target, &at->fetching[i]) &&
            access_relate(at->fetching[i].access, access, &run) == ACCESS_CONFLICT)
            window_conflict(caller, window->communicator->world[target], at->fetching[i].access, access, &run);
    }
}

static void add_fetching(struct window_target *at, MPI_Request request, const struct access *access) {
    size_t i = 0;
    while (i < at->fetching_count && at->fetching[i].request != request)
        i++;
    if (i == at->fetching_count) {
        at->fetching = realloc(at->fetching, (at->fetching_count + 1) * sizeof *at->fetching);
        at->fetching[at->fetching_count++] = (struct fetching){request, NULL};
    }
    free(at->fetching[i].access);
    at->fetching[i].access = access_copy_place(access);
}

void passive_issued(struct window *window, int target) {
    struct window_target *at = &window->target[target];
    check_fetching(&caller_current, window, target, at->issued[at->issued_count - 1].access);
    /* What it changes in memory that this process loads from itself, it may change at once. */
    if (at->lock != 0 && window_is_loaded_by_others(window, target)) {
        passive_require_agents(&caller_current, window, AGENTS_SHARED);
        send_unsent(window, target, at->issued_count);
        return;
    }
    if (at->lock != MPI_LOCK_SHARED)
        return;
    bool others;
    size_t last = at->issued_count - 1;
    if (access_is_atomic(at->issued[last].access) && has_unsent_atomic(at, last, &others))
        send_unsent(window, target, last);
}

void passive_send_put_off(void) {
    struct window *window;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++) {
        for (int target = 0; target < window->communicator->size; target++) {
            if (window->target[target].lock == MPI_LOCK_SHARED)
                send_unsent(window, target, window->target[target].issued_count);
        }
    }
}

void passive_send_all(struct window *window) {
    passive_ask_lock(window);
    for (int target = 0; target < window->communicator->size; target++) {
        if (window->target[target].lock != 0)
            send_unsent(window, target, window->target[target].issued_count);
    }
}

/* They are used no more when the accesses to the target are complete, but others were told of them before. */
static void let_buffers_go(const struct caller *caller, const struct window_target *target) {
    passive_tell_uses(caller);
    for (size_t i = 0; i < target->issued_count; i++)
        pending_buffers_let_access_go(target->issued[i].owned);
}

/* Through other windows to the same process, which may have the same memory: these accesses may be done before. */
static void send_beside(const struct window *window, int target) {
    struct window *other;
    for (size_t i = 0; rank_agents_meet() && (other = window_at(i)) != NULL; i++) {
        const int same =
            other == window ? MPI_UNDEFINED : communicator_rank_of(other->communicator, window->communicator->world[target]);
        if (same != MPI_UNDEFINED && other->target[same].lock != 0)
            send_unsent(other, same, other->target[same].issued_count);
    }
}

/* The last message of a flush or unlock brings the accesses that were not sent yet, unless others could be in conflict with
 * them: these must have the chance to meet. */
void passive_ask_completion(const struct caller *caller, struct window *window, int target, struct agent_request request,
                            struct agent_replies *replies) {
    struct window_target *at = &window->target[target];
    bool others;
    let_buffers_go(caller, at);
    send_beside(window, target);
    has_unsent_atomic(at, at->issued_count, &others);
    if ((at->lock == MPI_LOCK_SHARED || rank_agents_meet()) && others)
        send_unsent(window, target, at->issued_count);
    size_t size;
    char *batch = take_unsent(at, at->issued_count, &size);
    request.reply = AGENT_REPLY;
    if (request.closes && target == window->communicator->rank)
        own_accesses_end(window, false);
    ask_access(caller, window, target, request, batch, size);
    agent_expect(caller, window, target, replies);
    at->unflushed = !request.closes;
    free(batch);
}

static void complete_target(const struct caller *caller, struct window *window, int target, const char *bytes, size_t size) {
    (void)size;
    window_complete_target(caller, window, target, bytes);
}

/* Completes the program's requests that fetch from a target, if they are not complete, without reporting them: their
 * number, or that of another request if they were, is still the program's to wait for. */
static void complete_requests(const struct caller *caller, const struct window *window, int target) {
    struct window_target *at = (struct window_target *)&window->target[target];
    uint32_t *number = malloc((at->fetching_count + 1) * sizeof *number);
    MPI_Request *handle = malloc((at->fetching_count + 1) * sizeof *handle);
    uint32_t active = 0;
    for (size_t i = 0; i < at->fetching_count; i++) {
        if (!is_fetching(window, target, &at->fetching[i]))
            continue;
        handle[active] = at->fetching[i].request;
        number[active++] = request_number(at->fetching[i].request);
    }
    struct wire_call call = {
        .kind = WIRE_CALL_WAIT_ALL, .function = caller->function, .requests = active, .peer = -1, .site = caller->site};
    if (active > 0) {
        const struct wire_resolution *answer = rank_block_unhooked(&call, number);
        for (uint32_t i = 0; i < active; i++)
            request_complete(request_find(handle[i]), rank_completion(answer, i));
    }
    free(number);
    free(handle);
    forget_fetching(at);
}

/* Waits for replies. This process's own window is looked at again if it was among the targets, or if what was fetched may
 * say that others changed it. */
void passive_learn(const struct caller *caller, struct window *window, struct agent_replies *replies) {
    bool changed = window->sharing != NULL;
    for (uint32_t i = 0; i < replies->count; i++)
        changed = changed || replies->target[i] == window->communicator->rank || window_is_within(window, replies->target[i]) ||
                  window_target_fetches(&window->target[replies->target[i]]);
    int *target = malloc((replies->count + 1) * sizeof *target);
    uint32_t targets = replies->count;
    memcpy(target, replies->target, targets * sizeof *target);
    agent_await(caller, window, replies, complete_target);
    for (uint32_t i = 0; i < targets; i++)
        complete_requests(caller, window, target[i]);
    free(target);
    if (changed)
        passive_look(caller, window);
}

bool passive_is_pending(const struct window_target *target) { return target->issued_count > 0 || target->unflushed; }

int passive_check_epoch(const struct caller *caller, const struct window *window) {
    if (window->epoch != EPOCH_LOCK && window->epoch != EPOCH_LOCK_ALL)
        return window_reject(caller, window, MPI_ERR_RMA_SYNC, "rma-epoch", "no lock held");
    return MPI_SUCCESS;
}

int passive_check(const struct caller *caller, const struct window *window, int target) {
    int error = passive_check_epoch(caller, window);
    if (error != MPI_SUCCESS)
        return error;
    if (target < 0 || target >= window->communicator->size)
        return window_reject(caller, window, MPI_ERR_RANK, "invalid-argument", "target %d in a group of size %d", target,
                             window->communicator->size);
    if (window->target[target].lock == 0)
        return window_reject(caller, window, MPI_ERR_RMA_SYNC, "rma-epoch", "target %d, whose window is not locked", target);
    return MPI_SUCCESS;
}

/* Completes at one target, or all if it is -1. */
static void flush(const struct caller *caller, struct window *window, int only) {
    struct agent_replies replies = {0};
    for (int i = 0; i < window->communicator->size; i++) {
        if ((only < 0 || only == i) && passive_is_pending(&window->target[i]))
            passive_ask_completion(caller, window, i, (struct agent_request){.closes = 1}, &replies);
    }
    passive_learn(caller, window, &replies);
}

void passive_flush_uses(const struct caller *caller, struct window *window) {
    passive_tell_uses(caller);
    if (window->used != NULL)
        flush(caller, window, -1);
}

/* The same at the origin only: what was fetched must be there, the rest need not even have been sent. */
static void flush_local(const struct caller *caller, struct window *window, int only) {
    struct agent_replies replies = {0};
    for (int i = 0; i < window->communicator->size; i++) {
        struct window_target *target = &window->target[i];
        if ((only >= 0 && only != i) || (target->issued_count == 0 && target->fetching_count == 0))
            continue;
        if (window_target_fetches(target) || target->fetching_count > 0) {
            passive_ask_completion(caller, window, i, (struct agent_request){.closes = 0}, &replies);
            continue;
        }
        let_buffers_go(caller, target);
        send_unsent(window, i, target->issued_count);
        window_complete_target(caller, window, i, NULL);
        target->unflushed = true;
    }
    passive_learn(caller, window, &replies);
}

#define FLUSH(name, how)                                     \
    EXPORT(name)                                             \
    int MPI_##name(int target, MPI_Win handle) {             \
        ENTER(name, target, handle);                         \
        struct window *window;                               \
        int error = check_window(caller, handle, &window);   \
        if (error != MPI_SUCCESS || target == MPI_PROC_NULL) \
            return error;                                    \
        error = passive_check(caller, window, target);       \
        if (error == MPI_SUCCESS)                            \
            how(caller, window, target);                     \
        return error;                                        \
    }

#define FLUSH_ALL(name, how)                               \
    EXPORT(name)                                           \
    int MPI_##name(MPI_Win handle) {                       \
        ENTER(name, handle);                               \
        struct window *window;                             \
        int error = check_window(caller, handle, &window); \
        if (error == MPI_SUCCESS)                          \
            error = passive_check_epoch(caller, window);   \
        if (error == MPI_SUCCESS)                          \
            how(caller, window, -1);                       \
        return error;                                      \
    }

FLUSH(Win_flush, flush)
FLUSH(Win_flush_local, flush_local)
FLUSH_ALL(Win_flush_all, flush)
FLUSH_ALL(Win_flush_local_all, flush_local)

/* What the last access gives and fetches into, which its request owns from now on. */
static void lend_buffers(const struct caller *caller, const struct issued_access *last, MPI_Request request) {
    struct buffers buffers = {0};
    for (size_t i = 0; i < 2; i++) {
        if (last->given[i].type != NO_TYPE)
            footprint_add(&buffers.given, last->given[i].address, last->given[i].count, last->given[i].type);
    }
    if (last->result.type != NO_TYPE)
        footprint_add(&buffers.taken, last->result.address, last->result.count, last->result.type);
    pending_buffers_require_free(caller, &buffers);
    request_lend(request, &buffers);
}

static void lend_to_request(const struct caller *caller, struct issued_access *last, MPI_Request request) {
    lend_buffers(caller, last, request);
    last->requested = true;
    last->request = request_number(request);
    last->given[0].count = last->given[1].count = 0;
}

void passive_request(const struct caller *caller, struct window *window, int target, MPI_Request *request) {
    enum { TAG = 1 << 20 }; /* beyond those of other messages to itself */
    passive_require_agents(caller, window, AGENTS_SHARED);
    struct window_target *at = &window->target[target];
    struct issued_access *last = &at->issued[at->issued_count - 1];
    check_fetching(caller, window, target, last->access);
    if (last->access->result == 0) {
        /* Complete at the origin as soon as its buffer may be used again, which could be now, but must not be counted on. */
        *request = request_make_done(caller, window->communicator, TAG, request);
        lend_to_request(caller, last, *request);
        request_find(*request)->of_window = true;
        if (target == window->communicator->rank)
            own_accesses_add(caller, window, last->access, OWN_ACCESS_OF_EPOCH);
        passive_issued(window, target);
        return;
    }
    send_unsent(window, target, at->issued_count - 1);
    send_beside(window, target);
    /* As for the last message of a flush: what others could be in conflict with must have the chance to meet them. */
    if ((at->lock == MPI_LOCK_SHARED || rank_agents_meet()) && must_meet_others(last->access))
        send_unsent(window, target, at->issued_count);
    size_t size = at->sent_count == at->issued_count ? 0 : last->access->size;
    ask_access(caller, window, target, (struct agent_request){.reply = AGENT_REPLY_TO_REQUEST, .bare = 1},
               (const char *)last->access, size);
    struct transfer fetch = {.kind = WIRE_RECEIVE,
                             .communicator = window->agents,
                             .buffer = last->result.address,
                             .count = last->result.count,
                             .type = last->result.type,
                             .peer = agent_home(window, target),
                             .tag = agent_reply_tag(window, target, AGENT_REPLY_TO_REQUEST),
                             .unowned = true};
    *request = request_make(caller, &fetch, request);
    request_find(*request)->of_window = true;
    request_start(caller, *request);
    lend_buffers(caller, last, *request); /* what it gives too, of which the receive of the answer knows nothing */
    if (target == window->communicator->rank)
        own_accesses_add(caller, window, last->access,
                         access_only_reads(last->access) ? request_number(*request) : OWN_ACCESS_OF_EPOCH);
    add_fetching(at, *request, last->access);
    window_withdraw_last(at);
    at->unflushed = true;
}
