/* MPI_Win_lock, MPI_Win_flush and their kin (MPI-3.1 sections 11.5.3 and 11.5.4), by requests to the targets' agents (window_agent.h).
 *
 * MPI_Win_lock returns at once, before the lock is granted, unless the target is the calling process itself, which may then load
 * and store (section 11.5.3). What is asked of a target under a lock that is not granted waits at the agent.
 *
 * Under a shared lock accesses leave at the latest when the process blocks, so that they can meet others' at the target; each message
 * holds at most one atomic access, so that others' can come between any two. Under an exclusive lock nothing can come between, and
 * they leave when they have to be complete.
 *
 * See windows.h for when private and public copy are made the same. The agents of AGENTS_EXCLUSIVE let their owners wait for that while
 * somebody else holds the lock; if that could be the reason for a deadlock the explorer starts over with AGENTS_GENERAL. */
#include "models/mpi/preload/arguments.h"
#include "models/mpi/preload/data.h"
#include "models/mpi/preload/names.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/request_table.h"
#include "models/mpi/preload/window_agent.h"
#include "models/mpi/preload/window_passive.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 512 }; /* with as many agents */

/* Windows that are no more, which the agent has not been told yet. */
static uint64_t *gone;
static size_t gone_count;

static bool has_other_windows(const struct window *window)
{
    return window_at(0) != window || window_at(1) != NULL;
}

/* Ends the rank if the agents there cannot do what is needed: it begins anew with others. */
static void require_agents(const struct caller *caller, const struct window *window, int agents)
{
    if (agents == AGENTS_EXCLUSIVE && has_other_windows(window))
        agents = AGENTS_GENERAL;
    if (rank_agents() >= agents)
        return;
    if (rank_count() > MOST_RANKS)
        rank_refuse(caller->function, caller->site, "%s on more than %d ranks is not supported",
                    function_name(caller->function), MOST_RANKS);
    rank_want_agents(agents);
}

/* ---- requests and replies ---- */

struct request_body {
    const void *bytes[2];
    size_t size[2];
};

static struct request_body no_body(void)
{
    return (struct request_body){{"", ""}, {0, 0}};
}

static void ask(const struct caller *caller, const struct window *window, int target, struct agent_request request,
                struct request_body body)
{
    struct wire_operation operation = {
        .kind = WIRE_SEND,
        .mode = WIRE_BUFFERED,
        .function = caller->function,
        .request = WIRE_NO_REQUEST,
        .context = WIRE_AGENTS_CONTEXT,
        .peer = window->agents->world[target],
        .tag = AGENT_REQUEST,
        .site = caller->site,
        .parts = 1,
    };
    request.window = window->communicator->context;
    request.replies = window->agents->context;
    rank_issue(&operation);
    char *part = rank_add_part(sizeof request + body.size[0] + body.size[1]);
    memcpy(part, &request, sizeof request);
    part += sizeof request;
    for (size_t i = 0; i < 2; part += body.size[i], i++)
        memcpy(part, body.bytes[i], body.size[i]);
}

/* Replies awaited from several targets. */
struct replies {
    uint32_t *request;
    int *target;
    uint32_t count;
};

static void expect(const struct caller *caller, const struct window *window, int target, struct replies *replies)
{
    struct wire_operation operation = {
        .kind = WIRE_RECEIVE,
        .function = caller->function,
        .request = hidden_request_take(),
        .context = window->agents->context,
        .peer = window->agents->world[target],
        .tag = AGENT_REPLY,
        .capacity = UINT64_MAX,
        .site = caller->site,
    };
    rank_issue(&operation);
    replies->request = realloc(replies->request, (replies->count + 1) * sizeof *replies->request);
    replies->target = realloc(replies->target, (replies->count + 1) * sizeof *replies->target);
    replies->request[replies->count] = operation.request;
    replies->target[replies->count++] = target;
}

static _Noreturn void report_fault(const struct caller *caller, const struct window *window, int target,
                                   const struct agent_reply *reply)
{
    int world = window->communicator->world[target];
    if (reply->fault == AGENT_CONFLICT)
        window_conflict(caller, world, &reply->first, &reply->second, &reply->at);
    if (reply->fault == AGENT_OUTSIDE) {
        const struct wire_place place[2] = {
            {.site = reply->second.site, .rank = rank_number(), .function = reply->second.function}};
        rank_violation_at("invalid-argument", caller->function, caller->site, place,
                          "rank %d accesses memory that rank %d has not attached to the window", rank_number(), world);
    }
    rank_violation("rma-conflict", caller->function, caller->site,
                   "rank %d stored to bytes %lld to %lld of its window, which others had changed since it last "
                   "synchronised it",
                   world, (long long)reply->at.offset, (long long)(reply->at.offset + (int64_t)reply->at.length - 1));
}

/* Blocks until all replies are there; `use` gets each, without its head. */
static void await(const struct caller *caller, struct window *window, struct replies *replies,
                  void (*use)(const struct caller *caller, struct window *window, int target, const char *bytes, size_t size))
{
    struct wire_call call = {.kind = WIRE_CALL_WAIT_ALL, .function = caller->function, .requests = replies->count, .peer = -1,
                             .site = caller->site};
    if (replies->count > 0) {
        const struct wire_resolution *answer = rank_block_unhooked(&call, replies->request);
        for (uint32_t i = 0; i < replies->count; i++) {
            const char *bytes = rank_completion_data(rank_completion(answer, i));
            struct agent_reply head;
            memcpy(&head, bytes, sizeof head);
            hidden_request_release(replies->request[i]);
            if (head.fault != AGENT_NO_FAULT)
                report_fault(caller, window, replies->target[i], &head);
            use(caller, window, replies->target[i], bytes + sizeof head, head.size);
        }
    }
    free(replies->request);
    free(replies->target);
}

static void use_nothing(const struct caller *caller, struct window *window, int target, const char *bytes, size_t size)
{
    (void)caller;
    (void)window;
    (void)target;
    (void)bytes;
    (void)size;
}

/* Asks this process's own agent and waits for its reply. */
static void ask_own(const struct caller *caller, struct window *window, struct agent_request request, struct request_body body,
                    void (*use)(const struct caller *, struct window *, int, const char *, size_t))
{
    struct replies replies = {0};
    request.reply = AGENT_REPLY;
    ask(caller, window, window->communicator->rank, request, body);
    expect(caller, window, window->communicator->rank, &replies);
    await(caller, window, &replies, use);
}

/* ---- the public copy ---- */

/* Each window has a public copy of its own, so what is done through one would not show in another that has the same memory. */
static void refuse_shared_memory(const struct caller *caller, const struct window *window, const struct window_region *region)
{
    const struct window *other;
    for (size_t i = 0; (other = window_at(i)) != NULL; i++) {
        for (size_t k = 0; k < other->memory.regions && other != window; k++) {
            const struct window_region *there = &other->memory.region[k];
            if (region->bytes < there->bytes + there->size && there->bytes < region->bytes + region->size)
                rank_refuse(caller->function, caller->site, "%s of memory that is in another window too is not supported in a program that locks windows",
                            function_name(caller->function));
        }
    }
}

static int world_of_agent(int world_rank)
{
    return rank_count() + world_rank;
}

static void announce_agents(void)
{
    static bool announced;
    if (announced)
        return;
    announced = true;
    int *world = malloc((size_t)rank_count() * sizeof *world);
    for (int i = 0; i < rank_count(); i++)
        world[i] = i;
    rank_announce_context(WIRE_AGENTS_CONTEXT, world, rank_count());
    free(world);
}

static void send_what_was_put_off(void);
static void publish_all(void);
static void reconcile_all(const struct wire_call *call);

static void copy_memory(struct window_memory *copy, const struct window_memory *memory)
{
    char *bytes = malloc(window_memory_bytes(memory));
    window_memory_free(copy);
    window_memory_write(memory, bytes);
    window_memory_read(copy, bytes);
    free(bytes);
}

void passive_begin(const struct caller *caller, struct window *window)
{
    if (rank_agents() == AGENTS_NONE)
        return;
    if (rank_agents() == AGENTS_EXCLUSIVE && has_other_windows(window))
        rank_want_agents(AGENTS_GENERAL);
    for (size_t i = 0; i < window->memory.regions; i++)
        refuse_shared_memory(caller, window, &window->memory.region[i]);
    announce_agents();
    rank_hooks = (struct rank_hooks){publish_all, send_what_was_put_off, reconcile_all};
    const struct communicator *group = window->communicator;
    int *agent = malloc((size_t)group->size * sizeof *agent);
    for (int i = 0; i < group->size; i++)
        agent[i] = world_of_agent(group->world[i]);
    window->agents = communicator_create_hidden(group, 0, agent, group->size);
    free(agent);
    size_t head = (gone_count + 1) * sizeof(uint64_t);
    size_t size = head + window_memory_bytes(&window->memory);
    char *bytes = malloc(size);
    uint64_t count = gone_count;
    memcpy(bytes, &count, sizeof count);
    if (gone_count > 0)
        memcpy(bytes + sizeof count, gone, gone_count * sizeof *gone);
    window_memory_write(&window->memory, bytes + head);
    free(gone);
    gone = NULL;
    gone_count = 0;
    ask_own(caller, window, (struct agent_request){.verb = AGENT_CREATE}, (struct request_body){{bytes, ""}, {size, 0}},
            use_nothing);
    free(bytes);
    copy_memory(&window->published, &window->memory);
}

void passive_end(struct window *window)
{
    if (window->agents == NULL)
        return;
    gone = realloc(gone, (gone_count + 1) * sizeof *gone);
    gone[gone_count++] = window->communicator->context;
    communicator_release(window->agents);
    window_memory_free(&window->published);
}

void passive_attach(const struct caller *caller, struct window *window, const struct window_region *region)
{
    if (window->agents == NULL)
        return;
    refuse_shared_memory(caller, window, region);
    struct window_memory memory = {(struct window_region *)region, 1};
    size_t size = window_memory_bytes(&memory);
    char *bytes = malloc(size);
    window_memory_write(&memory, bytes);
    ask_own(caller, window, (struct agent_request){.verb = AGENT_ATTACH}, (struct request_body){{bytes, ""}, {size, 0}},
            use_nothing);
    free(bytes);
    copy_memory(&window->published, &window->memory);
}

void passive_detach(const struct caller *caller, struct window *window, size_t region)
{
    if (window->agents == NULL)
        return;
    ask_own(caller, window, (struct agent_request){.verb = AGENT_DETACH, .start = window->memory.region[region].start},
            no_body(), use_nothing);
    struct window_memory *published = &window->published;
    free(published->region[region].bytes);
    memmove(&published->region[region], &published->region[region + 1],
            (--published->regions - region) * sizeof *published->region);
}

static void take_changes(const struct caller *caller, struct window *window, int target, const char *bytes, size_t size)
{
    (void)caller;
    (void)target;
    if (size == 0)
        return;
    const struct access *changes = (const struct access *)bytes;
    access_apply(&window->memory, changes, NULL);
    access_apply(&window->shadow, changes, NULL);
    access_apply(&window->published, changes, NULL);
}

static bool holds_memory(const struct window *window)
{
    return window->agents != NULL && window->published.regions > 0 &&
           (window->flavor == MPI_WIN_FLAVOR_DYNAMIC || window->memory.region[0].size > 0);
}

static struct access *find_stores(const struct caller *caller, const struct window *window)
{
    return holds_memory(window)
               ? access_of_stores(&window->memory, &window->published, rank_number(), caller->function, caller->site)
               : NULL;
}

/* Tells the agent of the stores, if any, and takes what others changed. */
static void reconcile(const struct caller *caller, struct window *window)
{
    struct access *stores = find_stores(caller, window);
    if (stores != NULL)
        access_apply(&window->published, stores, NULL);
    ask_own(caller, window, (struct agent_request){.verb = AGENT_RECONCILE},
            (struct request_body){{stores, ""}, {stores == NULL ? 0 : stores->size, 0}}, take_changes);
    free(stores);
}

/* The hooks do not call each other. */
static bool in_hook;

static void publish_all(void)
{
    static const struct caller nobody;
    struct window *window;
    if (in_hook)
        return;
    in_hook = true;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++) {
        struct access *stores = find_stores(&nobody, window);
        if (stores != NULL)
            reconcile(&nobody, window);
        free(stores);
    }
    in_hook = false;
}

/* One window, for a call of the program. */
static void synchronise(const struct caller *caller, struct window *window)
{
    if (!holds_memory(window))
        return;
    in_hook = true;
    reconcile(caller, window);
    in_hook = false;
}

static void reconcile_all(const struct wire_call *call)
{
    const struct caller caller = {call->function, call->site};
    struct window *window;
    if (in_hook)
        return;
    in_hook = true;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++) {
        if (holds_memory(window))
            reconcile(&caller, window);
    }
    in_hook = false;
}

/* ---- accesses ---- */

/* The accesses from `first` up to `end` that have not been sent, as one block to be freed. */
static char *take_unsent(struct window_target *target, size_t end, size_t *size)
{
    char *batch = NULL;
    *size = 0;
    for (size_t i = 0; i < end; i++) {
        struct issued_access *issued = &target->issued[i];
        if (issued->sent)
            continue;
        issued->sent = true;
        batch = realloc(batch, *size + issued->access->size);
        memcpy(batch + *size, issued->access, issued->access->size);
        *size += issued->access->size;
    }
    return batch;
}

/* Sends what was issued before number `end`, for which nobody waits yet. */
static void send_unsent(struct window *window, int target, size_t end)
{
    struct window_target *at = &window->target[target];
    size_t size;
    char *batch = take_unsent(at, end, &size);
    if (size > 0) {
        const struct access *first = (const struct access *)batch;
        const struct caller issuer = {first->function, first->site};
        ask(&issuer, window, target, (struct agent_request){.verb = AGENT_ACCESS}, (struct request_body){{batch, ""}, {size, 0}});
    }
    free(batch);
}

static bool has_unsent_atomic(const struct window_target *target, size_t end, bool *others)
{
    bool found = false;
    *others = false;
    for (size_t i = 0; i < end; i++) {
        if (target->issued[i].sent)
            continue;
        bool atomic = access_is_atomic(target->issued[i].access);
        found = found || atomic;
        *others = *others || !atomic;
    }
    return found;
}

void passive_issued(struct window *window, int target)
{
    struct window_target *at = &window->target[target];
    if (at->lock != MPI_LOCK_SHARED)
        return;
    bool others;
    size_t last = at->issued_count - 1;
    if (access_is_atomic(at->issued[last].access) && has_unsent_atomic(at, last, &others))
        send_unsent(window, target, last);
}

static void send_what_was_put_off(void)
{
    struct window *window;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++) {
        for (int target = 0; target < window->communicator->size; target++) {
            if (window->target[target].lock == MPI_LOCK_SHARED)
                send_unsent(window, target, window->target[target].issued_count);
        }
    }
}

/* The last message of a flush or unlock brings the accesses that were not sent yet, unless others could be in conflict with
 * them: these must have the chance to meet. */
static void ask_completion(const struct caller *caller, struct window *window, int target, struct agent_request request,
                           struct replies *replies)
{
    struct window_target *at = &window->target[target];
    bool others;
    has_unsent_atomic(at, at->issued_count, &others);
    if (at->lock == MPI_LOCK_SHARED && others)
        send_unsent(window, target, at->issued_count);
    size_t size;
    char *batch = take_unsent(at, at->issued_count, &size);
    request.verb = AGENT_ACCESS;
    request.reply = AGENT_REPLY;
    ask(caller, window, target, request, (struct request_body){{batch, ""}, {size, 0}});
    expect(caller, window, target, replies);
    at->unflushed = !request.closes;
    free(batch);
}

static void complete_target(const struct caller *caller, struct window *window, int target, const char *bytes, size_t size)
{
    (void)size;
    window_complete_target(caller, window, target, bytes);
}

/* Completes the program's requests that fetch from a target, if they are not complete, without reporting them: their number, or that of
 * another request if they were, is still the program's to wait for. */
static void complete_requests(const struct caller *caller, const struct window *window, int target)
{
    struct window_target *at = (struct window_target *)&window->target[target];
    uint32_t *number = malloc((at->fetching_count + 1) * sizeof *number);
    MPI_Request *handle = malloc((at->fetching_count + 1) * sizeof *handle);
    uint32_t active = 0;
    for (size_t i = 0; i < at->fetching_count; i++) {
        const struct request *request = request_find(at->fetching[i]);
        if (request == NULL || request->state != REQUEST_ACTIVE || request->transfer.communicator != window->agents ||
            request->transfer.peer != target)
            continue;
        handle[active] = at->fetching[i];
        number[active++] = request_number(at->fetching[i]);
    }
    struct wire_call call = {.kind = WIRE_CALL_WAIT_ALL, .function = caller->function, .requests = active, .peer = -1,
                             .site = caller->site};
    if (active > 0) {
        const struct wire_resolution *answer = rank_block_unhooked(&call, number);
        for (uint32_t i = 0; i < active; i++)
            request_complete(request_find(handle[i]), rank_completion(answer, i));
    }
    free(number);
    free(handle);
    free(at->fetching);
    at->fetching = NULL;
    at->fetching_count = 0;
}

/* Waits for replies. This process's own window is looked at again if it was among the targets, or if what was fetched may say that others
 * changed it. */
static void learn(const struct caller *caller, struct window *window, struct replies *replies)
{
    bool changed = false;
    for (uint32_t i = 0; i < replies->count; i++)
        changed = changed || replies->target[i] == window->communicator->rank ||
                  window_target_fetches(&window->target[replies->target[i]]);
    int *target = malloc((replies->count + 1) * sizeof *target);
    uint32_t targets = replies->count;
    memcpy(target, replies->target, targets * sizeof *target);
    await(caller, window, replies, complete_target);
    for (uint32_t i = 0; i < targets; i++)
        complete_requests(caller, window, target[i]);
    free(target);
    if (changed)
        synchronise(caller, window);
}

static bool is_pending(const struct window_target *target)
{
    return target->issued_count > 0 || target->unflushed;
}

static int check_passive(const struct caller *caller, const struct window *window, int target)
{
    if (window->epoch != EPOCH_LOCK && window->epoch != EPOCH_LOCK_ALL)
        return window_reject(caller, window, MPI_ERR_RMA_SYNC, "rma-epoch", "no lock held");
    if (target < 0 || target >= window->communicator->size)
        return window_reject(caller, window, MPI_ERR_RANK, "invalid-argument", "target %d in a group of size %d", target,
                             window->communicator->size);
    if (window->target[target].lock == 0)
        return window_reject(caller, window, MPI_ERR_RMA_SYNC, "rma-epoch", "target %d, whose window is not locked", target);
    return MPI_SUCCESS;
}

/* Completes at one target, or all if it is -1. */
static void flush(const struct caller *caller, struct window *window, int only)
{
    struct replies replies = {0};
    for (int i = 0; i < window->communicator->size; i++) {
        if ((only < 0 || only == i) && is_pending(&window->target[i]))
            ask_completion(caller, window, i, (struct agent_request){.closes = 1}, &replies);
    }
    learn(caller, window, &replies);
}

/* The same at the origin only: what was fetched must be there, the rest need not even have been sent. */
static void flush_local(const struct caller *caller, struct window *window, int only)
{
    struct replies replies = {0};
    for (int i = 0; i < window->communicator->size; i++) {
        struct window_target *target = &window->target[i];
        if ((only >= 0 && only != i) || (target->issued_count == 0 && target->fetching_count == 0))
            continue;
        if (window_target_fetches(target) || target->fetching_count > 0) {
            ask_completion(caller, window, i, (struct agent_request){.closes = 0}, &replies);
            continue;
        }
        send_unsent(window, i, target->issued_count);
        window_complete_target(caller, window, i, NULL);
        target->unflushed = true;
    }
    learn(caller, window, &replies);
}

#define FLUSH(name, how)                                                                                                \
    EXPORT(name)                                                                                                        \
    int MPI_##name(int target, MPI_Win handle)                                                                          \
    {                                                                                                                   \
        ENTER(name, target, handle);                                                                                    \
        struct window *window;                                                                                          \
        int error = check_window(caller, handle, &window);                                                              \
        if (error != MPI_SUCCESS || target == MPI_PROC_NULL)                                                            \
            return error;                                                                                               \
        error = check_passive(caller, window, target);                                                                  \
        if (error == MPI_SUCCESS)                                                                                       \
            how(caller, window, target);                                                                                \
        return error;                                                                                                   \
    }

#define FLUSH_ALL(name, how)                                                                                            \
    EXPORT(name)                                                                                                        \
    int MPI_##name(MPI_Win handle)                                                                                      \
    {                                                                                                                   \
        ENTER(name, handle);                                                                                            \
        struct window *window;                                                                                          \
        int error = check_window(caller, handle, &window);                                                              \
        if (error != MPI_SUCCESS)                                                                                       \
            return error;                                                                                               \
        if (window->epoch != EPOCH_LOCK && window->epoch != EPOCH_LOCK_ALL)                                             \
            return window_reject(caller, window, MPI_ERR_RMA_SYNC, "rma-epoch", "no lock held");                        \
        how(caller, window, -1);                                                                                        \
        return MPI_SUCCESS;                                                                                             \
    }

FLUSH(Win_flush, flush)
FLUSH(Win_flush_local, flush_local)
FLUSH_ALL(Win_flush_all, flush)
FLUSH_ALL(Win_flush_local_all, flush_local)

/* ---- requests of the program ---- */

void passive_request(const struct caller *caller, struct window *window, int target, MPI_Request *request)
{
    static const MPI_Status nothing;
    struct window_target *at = &window->target[target];
    struct issued_access *last = &at->issued[at->issued_count - 1];
    if (last->access->result == 0) {
        /* Complete at the origin as soon as its buffer may be used again, which is now. */
        struct transfer done = {.kind = WIRE_SEND, .communicator = window->communicator, .type = MPI_BYTE,
                                .peer = MPI_PROC_NULL};
        *request = request_make_complete(caller, &done, &nothing);
        last->given[0].count = last->given[1].count = 0;
        passive_issued(window, target);
        return;
    }
    send_unsent(window, target, at->issued_count - 1);
    ask(caller, window, target,
        (struct agent_request){.verb = AGENT_ACCESS, .reply = AGENT_REPLY_TO_REQUEST, .bare = 1},
        (struct request_body){{last->access, ""}, {last->access->size, 0}});
    struct transfer fetch = {.kind = WIRE_RECEIVE, .communicator = window->agents, .buffer = last->result.address,
                             .count = last->result.count, .type = last->result.type, .peer = target,
                             .tag = AGENT_REPLY_TO_REQUEST};
    *request = request_make(caller, &fetch);
    request_start(caller, *request);
    at->fetching = realloc(at->fetching, (at->fetching_count + 1) * sizeof *at->fetching);
    at->fetching[at->fetching_count++] = *request;
    window_withdraw_last(at);
    at->unflushed = true;
}

/* ---- locks ---- */

static int check_lockable(const struct caller *caller, const struct window *window, int assertion)
{
    if (assertion & ~MPI_MODE_NOCHECK)
        return window_reject(caller, window, MPI_ERR_ASSERT, "invalid-argument", "an assert that is not MPI_MODE_NOCHECK");
    if (window->epoch == EPOCH_START || (window->epoch == EPOCH_FENCE && window_has_issued(window)))
        return window_reject(caller, window, MPI_ERR_RMA_SYNC, "rma-epoch", "an epoch of a fence or start open");
    return MPI_SUCCESS;
}

/* Our own window may be loaded from and stored to once this returns. */
static void lock_own(const struct caller *caller, struct window *window, int type)
{
    struct agent_request request = {.verb = AGENT_LOCK, .lock = type};
    if (rank_agents() < AGENTS_EXCLUSIVE)
        synchronise(caller, window);
    else if (holds_memory(window))
        ask_own(caller, window, request, no_body(), take_changes);
    else
        ask(caller, window, window->communicator->rank, request, no_body());
}

static void lock_target(const struct caller *caller, struct window *window, int target, int type)
{
    window->target[target].lock = type;
    if (target == window->communicator->rank)
        lock_own(caller, window, type);
    else if (rank_agents() >= AGENTS_EXCLUSIVE)
        ask(caller, window, target, (struct agent_request){.verb = AGENT_LOCK, .lock = type}, no_body());
}

EXPORT(Win_lock)
int MPI_Win_lock(int type, int target, int assertion, MPI_Win handle)
{
    ENTER(Win_lock, type, target, assertion, handle);
    struct window *window;
    int error = check_window(caller, handle, &window);
    if (error != MPI_SUCCESS || target == MPI_PROC_NULL)
        return error;
    if (type != MPI_LOCK_SHARED && type != MPI_LOCK_EXCLUSIVE)
        return window_reject(caller, window, MPI_ERR_LOCKTYPE, "invalid-argument", "a lock type that does not exist");
    if (target < 0 || target >= window->communicator->size)
        return window_reject(caller, window, MPI_ERR_RANK, "invalid-argument", "target %d in a group of size %d", target,
                             window->communicator->size);
    error = check_lockable(caller, window, assertion);
    if (error != MPI_SUCCESS)
        return error;
    if (window->epoch == EPOCH_LOCK_ALL || window->target[target].lock != 0)
        return window_reject(caller, window, MPI_ERR_RMA_SYNC, "rma-epoch", "target %d, whose window is locked already",
                             target);
    require_agents(caller, window, type == MPI_LOCK_SHARED ? AGENTS_SHARED : AGENTS_EXCLUSIVE);
    window->epoch = EPOCH_LOCK;
    window->opened = *caller;
    window->locks++;
    lock_target(caller, window, target, type);
    return MPI_SUCCESS;
}

EXPORT(Win_lock_all)
int MPI_Win_lock_all(int assertion, MPI_Win handle)
{
    ENTER(Win_lock_all, assertion, handle);
    struct window *window;
    int error = check_window(caller, handle, &window);
    if (error == MPI_SUCCESS)
        error = check_lockable(caller, window, assertion);
    if (error != MPI_SUCCESS)
        return error;
    if (window->epoch == EPOCH_LOCK || window->epoch == EPOCH_LOCK_ALL)
        return window_reject(caller, window, MPI_ERR_RMA_SYNC, "rma-epoch", "a lock held already");
    require_agents(caller, window, AGENTS_SHARED);
    window->epoch = EPOCH_LOCK_ALL;
    window->opened = *caller;
    for (int i = 0; i < window->communicator->size; i++)
        lock_target(caller, window, i, MPI_LOCK_SHARED);
    return MPI_SUCCESS;
}

/* Where there are exclusive locks the agent has to be told that this one is released; else it is a flush. */
static void ask_unlock(const struct caller *caller, struct window *window, int target, struct replies *replies)
{
    struct agent_request request = {.closes = 1, .unlocks = rank_agents() >= AGENTS_EXCLUSIVE};
    if (request.unlocks || is_pending(&window->target[target]))
        ask_completion(caller, window, target, request, replies);
}

EXPORT(Win_unlock)
int MPI_Win_unlock(int target, MPI_Win handle)
{
    ENTER(Win_unlock, target, handle);
    struct window *window;
    int error = check_window(caller, handle, &window);
    if (error != MPI_SUCCESS || target == MPI_PROC_NULL)
        return error;
    error = check_passive(caller, window, target);
    if (error != MPI_SUCCESS)
        return error;
    if (window->epoch == EPOCH_LOCK_ALL)
        return window_reject(caller, window, MPI_ERR_RMA_SYNC, "rma-epoch", "a lock of MPI_Win_lock_all");
    struct replies replies = {0};
    ask_unlock(caller, window, target, &replies);
    learn(caller, window, &replies);
    window->target[target].lock = 0;
    if (--window->locks == 0)
        window->epoch = EPOCH_NONE;
    return MPI_SUCCESS;
}

EXPORT(Win_unlock_all)
int MPI_Win_unlock_all(MPI_Win handle)
{
    ENTER(Win_unlock_all, handle);
    struct window *window;
    int error = check_window(caller, handle, &window);
    if (error != MPI_SUCCESS)
        return error;
    if (window->epoch != EPOCH_LOCK_ALL)
        return window_reject(caller, window, MPI_ERR_RMA_SYNC, "rma-epoch", "no lock of MPI_Win_lock_all");
    struct replies replies = {0};
    for (int i = 0; i < window->communicator->size; i++)
        ask_unlock(caller, window, i, &replies);
    learn(caller, window, &replies);
    for (int i = 0; i < window->communicator->size; i++)
        window->target[i].lock = 0;
    window->epoch = EPOCH_NONE;
    return MPI_SUCCESS;
}

EXPORT(Win_sync)
int MPI_Win_sync(MPI_Win handle)
{
    ENTER(Win_sync, handle);
    struct window *window;
    int error = check_window(caller, handle, &window);
    if (error == MPI_SUCCESS)
        synchronise(caller, window);
    return error;
}
