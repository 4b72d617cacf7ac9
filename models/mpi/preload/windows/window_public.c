/* The public copy of this process's windows, as their owner deals with it: the agent gets it when the window is made, and
 * is told of stores and asked for changes by the others whenever the rank communicates (see windows.h). */
#include "models/mpi/functions.h"
#include "models/mpi/preload/point_to_point/request_table.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/own_accesses.h"
#include "models/mpi/preload/windows/shared_places.h"
#include "models/mpi/preload/windows/window_announced.h"
#include "models/mpi/preload/windows/window_asking.h"
#include "models/mpi/preload/windows/window_exposure.h"
#include "models/mpi/preload/windows/window_lost.h"
#include "models/mpi/preload/windows/window_passive.h"
#include "models/mpi/preload/windows/window_sharing.h"
#include "models/mpi/preload/windows/window_told.h"
#include "models/mpi/preload/windows/window_unseen.h"
#include "models/mpi/preload/windows/window_uses.h"
#include "models/mpi/preload/windows/window_within.h"

#include <stdlib.h>
#include <string.h>

/* Windows that are no more, which the agent has not been told yet. */
static uint64_t *gone;
static size_t gone_count;

/* The window in which changes were found last, until the others have been looked at since: what is new in one may tell of what has
 * become of another one, so that is not older. */
static const struct window *news;

bool passive_has_other_windows(const struct window *window) { return window_at(0) != window || window_at(1) != NULL; }

/* ---- windows of the same memory: each has a public copy of its own (window_overlaps.c) ---- */

static bool is_dynamic(const struct window *window) { return window->flavor == MPI_WIN_FLAVOR_DYNAMIC; }

/* Address of offset 0. */
static int64_t base_of(const struct window *window) {
    if (is_dynamic(window) || window->memory.regions == 0)
        return 0;
    return window->lent != NULL ? (int64_t)window->lent[0]->from : (int64_t)(intptr_t)window->memory.region[0].bytes;
}

static void check_overlap(const struct window *window, const struct window_region *region) {
    const struct window *other;
    for (size_t i = 0; (other = window_at(i)) != NULL; i++) {
        if (other != window && window_has_memory_of(other, region) && !rank_agents_meet())
            rank_want_agents(rank_agents() | AGENTS_MEETING);
    }
}

/* What has become of some bytes of a window, as this process's agent knows it, it knows of others that have them too. */
static void publish_to_others(const struct window *window, const struct access *access, bool in_epochs) {
    const struct window *other;
    for (size_t i = 0; (other = window_at(i)) != NULL; i++) {
        if (other == window || other->sharing != NULL || other->agents == NULL)
            continue;
        const int64_t shift = base_of(window) - base_of(other);
        window_memory_copy_runs(&window->published, &other->published, shift, access_runs(access), access->runs);
        if (in_epochs)
            window_memory_copy_runs(&window->published, &other->shadow, shift, access_runs(access), access->runs);
    }
}

/* A new window's memory, or what is attached to one, may hold stores that the agent will be told of through another one. */
static void take_published(struct window *made) {
    const struct window *other;
    for (size_t i = 0; (other = window_at(i)) != NULL; i++) {
        if (other == made || other->sharing != NULL || other->agents == NULL)
            continue;
        for (size_t k = 0; k < other->published.regions; k++) {
            const struct access_run all = {other->published.region[k].start, other->published.region[k].size};
            window_memory_copy_runs(&other->published, &made->published, base_of(other) - base_of(made), &all, 1);
        }
    }
}

static void refuse_segment(const struct caller *caller, const struct window_region *region) {
    if (sharing_holds((uintptr_t)region->bytes, (uintptr_t)region->bytes + region->size))
        rank_refuse(caller->function, caller->site, "%s of memory that is in a shared window too is not supported",
                    function_name(caller->function));
}

static int world_of_agent(int world_rank) { return rank_count() + world_rank; }

void agents_announce(void) {
    static bool announced;
    if (announced)
        return;
    announced = true;
    int *world = malloc((size_t)rank_count() * sizeof *world);
    for (int i = 0; i < rank_count(); i++)
        world[i] = i;
    rank_announce_context(WIRE_AGENTS_CONTEXT, world, rank_count(), 0);
    free(world);
}

static void publish_all(const struct wire_operation *operation);
static void prepare_to_wait(void);
static void prepare_errand(void);
static void reconcile_all(const struct wire_call *call);

static const struct rank_hooks hooks = {publish_all,    sharing_any,   prepare_to_wait,
                                        prepare_errand, passive_hears, reconcile_all};

/* What is told of them by who makes a window: nothing if its agent is not this process's `own`. To be freed. */
static char *take_gone(bool own, size_t *size) {
    const uint64_t count = own ? gone_count : 0;
    *size = sizeof count + count * sizeof *gone;
    char *bytes = malloc(*size);
    memcpy(bytes, &count, sizeof count);
    if (count == 0)
        return bytes;
    memcpy(bytes + sizeof count, gone, count * sizeof *gone);
    free(gone);
    gone = NULL;
    gone_count = 0;
    return bytes;
}

void passive_ask_creation(const struct caller *caller, struct window *window, int target, const struct window_memory *memory) {
    size_t head, size = window_memory_bytes(memory);
    char *told = take_gone(true, &head), *bytes = malloc(size);
    window_memory_write(memory, bytes);
    agent_ask_and_wait(caller, window, target,
                       (struct agent_request){.verb = AGENT_CREATE,
                                              .parts = window->sharing != NULL,
                                              .start = window->sharing != NULL ? 0 : base_of(window)},
                       (struct agent_body){{told, bytes}, {head, size}}, agent_use_nothing);
    free(told);
    free(bytes);
}

static void ask_creation_within(const struct caller *caller, struct window *window) {
    const int own = window->communicator->rank;
    size_t size;
    char *told = take_gone(agent_home(window, own) == own, &size);
    within_ask_creation(caller, window, told, size);
    free(told);
}

void passive_begin(const struct caller *caller, struct window *window) {
    if (window->sharing != NULL || rank_announces())
        rank_hooks = hooks;
    within_begin(caller, window);
    if (rank_agents() == AGENTS_NONE)
        return;
    if (rank_agents() == AGENTS_EXCLUSIVE && passive_has_other_windows(window))
        rank_want_agents(AGENTS_GENERAL);
    for (size_t i = 0; i < window->memory.regions; i++)
        check_overlap(window, &window->memory.region[i]);
    agents_announce();
    rank_hooks = hooks;
    const struct communicator *group = window->communicator;
    int *agent = malloc((size_t)group->size * sizeof *agent);
    for (int i = 0; i < group->size; i++)
        agent[i] = world_of_agent(group->world[i]);
    struct members members = {.world = agent, .size = group->size};
    window->agents = communicator_make_hidden(group, 0, &members);
    free(agent);
    if (window_is_within(window, group->rank)) {
        ask_creation_within(caller, window);
    } else if (window->sharing == NULL) {
        passive_ask_creation(caller, window, group->rank, &window->memory);
        window_memory_free(&window->published);
        window->published = window_memory_copy(&window->memory);
        take_published(window);
    } else if (group->rank == 0) {
        sharing_ask_creation(caller, window);
    }
}

void passive_end(struct window *window) {
    if (window->agents == NULL)
        return;
    gone = realloc(gone, (gone_count + (size_t)window->communicator->size + 1) * sizeof *gone);
    for (int i = 0; i < window->communicator->size; i++) {
        if (agent_home(window, i) == window->communicator->rank)
            gone[gone_count++] = agent_name_of(window, i);
    }
    communicator_release(window->agents);
    window_memory_free(&window->published);
}

void passive_attach(const struct caller *caller, struct window *window, const struct window_region *region) {
    refuse_segment(caller, region);
    if (window->agents == NULL)
        return;
    check_overlap(window, region);
    struct window_memory memory = {(struct window_region *)region, 1};
    size_t size = window_memory_bytes(&memory);
    char *bytes = malloc(size);
    window_memory_write(&memory, bytes);
    agent_ask_own(caller, window, (struct agent_request){.verb = AGENT_ATTACH}, (struct agent_body){{bytes, ""}, {size, 0}},
                  agent_use_nothing);
    window_memory_append(&window->published, bytes);
    take_published(window);
    free(bytes);
}

void passive_detach(const struct caller *caller, struct window *window, size_t region) {
    if (window->agents == NULL)
        return;
    agent_ask_own(caller, window, (struct agent_request){.verb = AGENT_DETACH, .start = window->memory.region[region].start},
                  agent_no_body(), agent_use_nothing);
    struct window_memory *published = &window->published;
    free(published->region[region].bytes);
    memmove(&published->region[region], &published->region[region + 1],
            (--published->regions - region) * sizeof *published->region);
}

void passive_lose(const struct caller *caller, struct window *window, size_t region) {
    if (window->agents == NULL)
        return;
    const struct agent_request request = {
        .verb = AGENT_LOSE, .start = window->memory.region[region].start, .delivers = AGENT_DELIVERS};
    agent_ask_own(caller, window, request, agent_no_body(), passive_take_changes);
}

/* Where what has been put there, by one of the accesses, ends; `at` itself if nothing has. */
static int64_t end_of_put(int64_t at, const char *accesses, size_t size) {
    const struct access *end = (const struct access *)(accesses + size);
    for (const struct access *access = (const struct access *)accesses; access < end; access = access_next(access)) {
        for (uint64_t i = 0; i < access->runs && !access_is_atomic(access); i++) {
            const struct access_run run = access_runs(access)[i];
            if (run.offset <= at && at < run.offset + (int64_t)run.length)
                return run.offset + (int64_t)run.length;
        }
    }
    return at;
}

/* Are all changes of accesses that the program must not look at, as it cannot know whether they are complete? Then it learns
 * nothing by them. */
static bool are_put(const struct access *changes, const char *accesses, size_t size) {
    for (uint64_t i = 0; i < changes->runs; i++) {
        const struct access_run run = access_runs(changes)[i];
        const int64_t end = run.offset + (int64_t)run.length;
        for (int64_t at = run.offset, next; at < end; at = next) {
            next = end_of_put(at, accesses, size);
            if (next == at)
                return false;
        }
    }
    return true;
}

void passive_take_asked(const struct caller *caller, struct window *window, int target, const char *bytes, size_t size) {
    (void)caller;
    (void)target;
    if (passive_asks(window) == 0)
        return;
    window->phases_untold = 0;
    exposure_note_locked(window, bytes, size);
}

static void take_changes(struct window *window, const char *bytes, size_t size) {
    const struct access *changes = (const struct access *)bytes;
    const size_t changed = size > 0 && changes->kind == ACCESS_STORE ? changes->size : 0;
    own_accesses_of_others(window, bytes + changed, size - changed);
    exposure_note_locked(window, bytes + changed, size - changed);
    if (changed == 0)
        return;
    own_accesses_of_changes(window, changes);
    if (!are_put(changes, bytes + changed, size - changed))
        told_of_changes();
    access_apply(&window->memory, changes, NULL);
    access_apply(&window->shadow, changes, NULL);
    access_apply(&window->published, changes, NULL);
    publish_to_others(window, changes, true);
}

void passive_take_changes(const struct caller *caller, struct window *window, int target, const char *bytes, size_t size) {
    (void)caller;
    (void)target;
    unseen_note_looked(window);
    window->phases_untold = 0;
    take_changes(window, bytes, size);
}

static void note_news(const struct window *window, const char *bytes, size_t size) {
    if (size > 0 && ((const struct access *)bytes)->kind == ACCESS_STORE)
        news = window;
}

static void take_news(const struct caller *caller, struct window *window, int target, const char *bytes, size_t size) {
    note_news(window, bytes, size);
    passive_take_changes(caller, window, target, bytes, size);
}

static const struct spans anywhere;

/* The rest stays unseen. */
static void take_news_of_part(const struct caller *caller, struct window *window, int target, const char *bytes, size_t size) {
    (void)caller;
    (void)target;
    note_news(window, bytes, size);
    take_changes(window, bytes, size);
}

bool passive_holds_memory(const struct window *window) {
    return window->agents != NULL && window->published.regions > 0 &&
           (window->flavor == MPI_WIN_FLAVOR_DYNAMIC || window->memory.region[0].size > 0);
}

static struct access *find_stores(const struct caller *caller, const struct window *window) {
    struct access *stores = passive_holds_memory(window) ? access_of_stores(&window->memory, &window->published, rank_number(),
                                                                            caller->function, caller->site)
                                                         : NULL;
    if (stores != NULL)
        unseen_note_stores(window, stores);
    return stores;
}

/* Asks the agent about what is at these bytes; none: anywhere. The stores, which are freed (NULL: none), come with it. */
static void ask_of(const struct caller *caller, struct window *window, const struct spans *part, struct access *stores,
                   struct agent_request request, agent_use *use) {
    const struct spans asked = *part; /* while the agent is waited for */
    passive_ask_lock(window);
    if (stores != NULL) {
        access_apply(&window->published, stores, NULL);
        publish_to_others(window, stores, false);
    }
    request.verb = AGENT_RECONCILE;
    request.reads = stores == NULL;
    request.parts = (uint16_t)asked.count;
    agent_ask_own(caller, window, request,
                  (struct agent_body){{asked.span, stores == NULL ? (const void *)"" : stores},
                                      {asked.count * sizeof *asked.span, stores == NULL ? 0 : stores->size}},
                  use);
    free(stores);
}

/* Tells the agent of the stores, if there are any, and takes what others changed there. */
static void reconcile_stores(const struct caller *caller, struct window *window, const struct spans *part,
                             struct access *stores) {
    ask_of(caller, window, part, stores, (struct agent_request){.delivers = AGENT_DELIVERS},
           part->count > 0 ? take_news_of_part : take_news);
}

/* Where the program has touched the window: it has stored nowhere else. */
static const struct spans *touched_part(const struct window *window) {
    return unseen_in_part(window) ? &window->looked_at : &anywhere;
}

/* The same, of memory that is still there: when others may be told of it. */
static struct access *take_stores(const struct caller *caller, struct window *window) {
    lost_look(caller, window);
    return find_stores(caller, window);
}

static void reconcile(const struct caller *caller, struct window *window) {
    reconcile_stores(caller, window, &anywhere, take_stores(caller, window));
}

static void reconcile_part(const struct caller *caller, struct window *window, const struct spans *part) {
    struct access *stores = take_stores(caller, window);
    window->looked_at = *part;
    reconcile_stores(caller, window, &window->looked_at, stores);
}

/* Which accesses of others there are, or were, that nobody can have heard of; to what the program has touched. */
static void ask_accesses(const struct caller *caller, struct window *window) {
    const struct agent_request request = {.delivers = AGENT_ASKS, .phase = window->phase};
    ask_of(caller, window, touched_part(window), NULL, request, passive_take_asked);
}

/* Of what the program loaded before this process looked last it has been told. */
uint8_t passive_asks(const struct window *window) { return window->was_touched || told_must_ask(window) ? AGENT_ASKS : 0; }

/* Which accesses of others are in progress makes a difference only if the program touches the window, and then it is looked at. */
static bool put_off(struct window *window) {
    if (!unseen_put_off(window))
        return false;
    own_accesses_of_others(window, NULL, 0);
    return true;
}

bool passive_looks_at_once(const struct window *window) {
    const bool in_part = unseen_in_part(window);
    return (window->was_touched && window->touched_before && !in_part) || !unseen_may_put_off(window);
}

/* What others changed need not come into the private copy before that matters; stores are said at once. */
static void look(const struct caller *caller, struct window *window) {
    struct access *stores = take_stores(caller, window);
    const bool in_part = stores != NULL && unseen_in_part(window);
    if (in_part)
        reconcile_stores(caller, window, &window->looked_at, stores);
    stores = in_part ? NULL : stores;
    const bool was_touched = window->was_touched, at_once = stores != NULL || passive_looks_at_once(window);
    if (!at_once && !in_part && passive_asks(window))
        ask_accesses(caller, window);
    if (!at_once && put_off(window))
        return;
    reconcile_stores(caller, window, &anywhere, stores);
    if (was_touched)
        window->is_up_to_date = unseen_put_off(window);
}

/* The hooks do not call each other. */
static bool in_hook;

void passive_look_later(const struct caller *caller, struct window *window) {
    in_hook = true;
    if (!put_off(window))
        reconcile(caller, window);
    in_hook = false;
}

/* All windows, unless the hooks are at work already. */
static void meet_all(void (*meet)(const void *context, struct window *window), const void *context) {
    struct window *window;
    if (in_hook)
        return;
    in_hook = true;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++)
        meet(context, window);
    in_hook = false;
}

/* The one after it, or the first. */
static struct window *next_window(const struct window *window) {
    size_t i = 0;
    while (window_at(i) != window)
        i++;
    struct window *next = window_at(i + 1);
    return next != NULL ? next : window_at(0);
}

static void look_again(const struct caller *caller, struct window *window) {
    if (unseen_in_part(window))
        reconcile_part(caller, window, &window->looked_at);
    else if (window->unseen)
        window->is_up_to_date = false;
    else if (window->sharing == NULL && passive_holds_memory(window))
        reconcile(caller, window);
}

/* Looks at the windows in turn, until nothing is new in any since the last news. */
static void follow_news(const struct caller *caller) {
    if (in_hook || news == NULL)
        return;
    in_hook = true;
    for (struct window *window = next_window(news); window != news; window = next_window(window))
        look_again(caller, window);
    news = NULL;
    in_hook = false;
}

static bool tells_others(const struct wire_operation *operation) {
    return operation->kind == WIRE_COLLECTIVE || (operation->kind == WIRE_SEND && operation->peer < rank_count());
}

static void publish(const void *context, struct window *window) {
    const struct wire_operation *operation = context;
    const struct caller caller = {operation->function, operation->site};
    if (window->sharing != NULL)
        sharing_publish(operation, window);
    struct access *stores = take_stores(&caller, window);
    if (stores != NULL)
        reconcile_stores(&caller, window, touched_part(window), stores);
    uses_tell(&caller, window, true);
    if (tells_others(operation))
        passive_send_all(window);
}

static void publish_all(const struct wire_operation *operation) {
    const struct caller caller = {operation->function, operation->site};
    if (!in_hook)
        announced_look(operation);
    meet_all(publish, operation);
    follow_news(&caller);
}

/* A store to a window that was not looked at shows before the step ends. */
static void note_stores(const void *caller, const struct window *window) {
    if (window->unseen)
        free(find_stores(caller, window));
}

static void wait(const void *caller, struct window *window) {
    if (window->sharing != NULL)
        sharing_wait(caller, window);
    passive_ask_lock(window);
    note_stores(caller, window);
    uses_tell(caller, window, false);
}

static void tell_uses(const void *caller, struct window *window) { uses_tell(caller, window, false); }

void passive_tell_uses(const struct caller *caller) { meet_all(tell_uses, caller); }

static void prepare_to_wait(void) {
    if (!in_hook)
        passive_send_put_off();
    meet_all(wait, &caller_current);
}

static void stop(const void *caller, struct window *window) {
    if (window->sharing != NULL)
        sharing_stop(caller, window);
    note_stores(caller, window);
}

static void prepare_errand(void) { meet_all(stop, &caller_current); }

static void learn(const void *caller, struct window *window) {
    if (window->sharing != NULL)
        sharing_learn(caller, window);
    else if (passive_holds_memory(window))
        look(caller, window);
}

void passive_finish(const struct caller *caller, struct window *only) {
    struct window *window;
    exposure_uncover();
    in_hook = true;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++) {
        if (window->sharing != NULL && (only == NULL || only == window))
            sharing_finish(caller, window);
    }
    in_hook = false;
}

void passive_exchange_changes(const struct caller *caller, struct window *window) {
    in_hook = true;
    sharing_exchange_changes(caller, window);
    in_hook = false;
}

static void in_own_hook(const void *context, struct window *window, void (*meet)(const void *, struct window *)) {
    exposure_uncover();
    in_hook = true;
    meet(context, window);
    in_hook = false;
}

/* All windows but one. */
struct others {
    const struct caller *caller;
    const struct window *but;
};

static void learn_other(const void *context, struct window *window) {
    const struct others *others = context;
    if (window != others->but)
        learn(others->caller, window);
}

void passive_look_at_others(const struct caller *caller, const struct window *but) {
    const struct others others = {caller, but};
    exposure_uncover();
    meet_all(learn_other, &others);
    follow_news(caller);
}

void passive_look(const struct caller *caller, struct window *window) {
    in_own_hook(caller, window, learn);
    passive_look_at_others(caller, window);
}

void passive_ask_passed(const struct caller *caller, struct window *window,
                        void (*use)(const struct caller *, struct window *, int, const char *, size_t)) {
    in_hook = true;
    agent_ask_own(caller, window, (struct agent_request){.verb = AGENT_PASSED}, agent_no_body(), use);
    in_hook = false;
}

static void synchronise(const void *caller, struct window *window) {
    if (window->sharing != NULL)
        sharing_learn(caller, window);
    else if (passive_holds_memory(window))
        reconcile(caller, window);
}

void passive_synchronise(const struct caller *caller, struct window *window) {
    in_own_hook(caller, window, synchronise);
    follow_news(caller);
}

struct part {
    const struct caller *caller;
    const struct spans *spans;
};

static void look_at_part(const void *context, struct window *window) {
    const struct part *part = context;
    reconcile_part(part->caller, window, part->spans);
}

void passive_look_at_part(const struct caller *caller, struct window *window, const struct spans *spans) {
    in_own_hook(&(struct part){caller, spans}, window, look_at_part);
    follow_news(caller);
}

void passive_look_at_all(const struct caller *caller) {
    struct window *window;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++) {
        if (window->unseen)
            passive_synchronise(caller, window);
    }
}

/* ---- accesses by which ranks synchronise ---- */

static void publish_other(const void *context, struct window *window) {
    const struct others *others = context;
    if (window == others->but)
        return;
    if (window->sharing != NULL)
        sharing_stop(others->caller, window);
    struct access *stores = take_stores(others->caller, window);
    if (stores != NULL)
        reconcile_stores(others->caller, window, touched_part(window), stores);
}

void passive_begin_access(const struct caller *caller, const struct shared_bytes *bytes, enum shared_how how) {
    const struct others others = {caller, bytes->window};
    exposure_uncover();
    meet_all(publish_other, &others);
    in_hook = true;
    sharing_begin_access(caller, bytes, how);
    in_hook = false;
}

void passive_end_access(const struct caller *caller, const struct shared_bytes *bytes, enum shared_how how) {
    in_hook = true;
    sharing_end_access(caller, bytes->window, how);
    in_hook = false;
    passive_look_at_others(caller, bytes->window);
}

/* That a send is complete says nothing about others, unless it is a synchronous one. That a collective is may say something. */
static bool tells_of_others(const struct request *request) {
    return request->transfer.kind == WIRE_COLLECTIVE || request->transfer.mode == WIRE_SYNCHRONOUS;
}

/* Does one of the operations that `answer` completes say something of others, by `tells`? */
static bool any_completed(const uint32_t *request, const struct wire_resolution *answer,
                          bool (*tells)(const struct request *, const struct wire_completion *)) {
    const struct wire_completion *completion = rank_completion(answer, 0);
    for (uint32_t i = 0; i < answer->completions; i += 1 + completion->parts, completion = rank_completion_past(completion)) {
        if (tells(request_numbered(request[completion->index]), completion))
            return true;
    }
    return false;
}

static bool may_tell(const struct request *completed, const struct wire_completion *completion) {
    return completion->source >= 0 || (completed != NULL && tells_of_others(completed));
}

static bool is_synchronous(const struct request *completed, const struct wire_completion *completion) {
    (void)completed;
    return completion->synchronous;
}

static void note_synchronous(const uint32_t *request, const struct wire_resolution *answer) {
    struct window *window;
    if (answer->kind != WIRE_COMPLETED || !any_completed(request, answer, is_synchronous))
        return;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++)
        window->was_synchronous = passive_holds_memory(window);
}

bool passive_hears(const uint32_t *request, const struct wire_resolution *answer) {
    note_synchronous(request, answer);
    return answer->kind != WIRE_COMPLETED || sharing_any() || any_completed(request, answer, may_tell);
}

/* Does a collective bring this process anything from others? Not to the root of a broadcast, nor from the others to who has
 * only given the root something. */
static bool brings(const struct communicator *communicator, const struct wire_completion *part, uint32_t parts) {
    const bool groups = communicator == NULL || communicator_is_inter(communicator);
    for (uint32_t i = 0; i < parts; i++, part = rank_completion_next(part)) {
        if (groups || part->index != (uint32_t)communicator->rank)
            return true;
    }
    return false;
}

static bool is_told_by(const struct request *completed, const struct wire_completion *completion) {
    if (completion->source >= 0)
        return completion->source != rank_number();
    if (completed == NULL || completed->transfer.kind != WIRE_COLLECTIVE)
        return completed != NULL && tells_of_others(completed);
    return brings(completed->transfer.communicator, rank_completion_next(completion), completion->parts);
}

bool passive_is_told(const struct wire_call *call, const uint32_t *request, const struct wire_resolution *answer) {
    if (sharing_any())
        return true;
    if (answer->kind == WIRE_LEFT)
        return brings(communicator_of_context(call->context), rank_completion(answer, 0), answer->completions);
    if (answer->kind != WIRE_COMPLETED)
        return answer->kind != WIRE_NOT_YET;
    return any_completed(request, answer, is_told_by);
}

static void reconcile_all(const struct wire_call *call) {
    const struct caller caller = {call->function, call->site};
    meet_all(learn, &caller);
    follow_news(&caller);
}
