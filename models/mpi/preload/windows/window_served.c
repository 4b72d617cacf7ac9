#include "models/mpi/preload/windows/window_served.h"

#include "models/mpi/functions.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/window_asking.h"
#include "models/mpi/preload/windows/window_passive.h"

#include <stdlib.h>
#include <string.h>

enum served served_by_agent(const struct window *window, int target) {
    if (!rank_agents_expose())
        return SERVED_NOT;
    return window_is_loaded_by_others(window, target) ? SERVED_ALL : SERVED_ATOMIC;
}

enum served served_by_own_agent(const struct window *window) { return served_by_agent(window, window->communicator->rank); }

void served_want_atomic(const struct caller *caller) { passive_begin_anew(caller, AGENTS_GENERAL, AGENTS_EXPOSING); }

bool served_in_fences(const struct window *window, int target) {
    return window_is_within(window, target) || (window->sharing != NULL && rank_agents_meet());
}

/* ---- the target ---- */

/* What has been done in the epoch before through another window is not in what the agent gets now. */
static void require_alone(const struct caller *caller, const struct window *window) {
    const struct window *other;
    for (size_t i = 0; (other = window_at(i)) != NULL; i++) {
        for (size_t k = 0; other != window && k < window->memory.regions; k++) {
            if (window_has_memory_of(other, &window->memory.region[k]))
                rank_refuse(
                    caller->function, caller->site,
                    "%s to several origins of a window that has memory in common with another one is not supported in a "
                    "program that fetches by accumulates in such epochs",
                    function_name(caller->function));
        }
    }
}

void served_expose(const struct caller *caller, const struct window *window, const int *member, int members) {
    const struct agent_request request = {.verb = AGENT_EXPOSE, .exposed = EXPOSED_BY_POST, .parts = (uint16_t)members};
    const bool with_content = served_by_own_agent(window) == SERVED_ATOMIC;
    uint64_t *origin = malloc(((size_t)members + 1) * sizeof *origin);
    const size_t size = with_content ? window_memory_bytes(&window->memory) : 0;
    char *content = malloc(size + 1);
    if (with_content && members > 1)
        require_alone(caller, window);
    for (int i = 0; i < members; i++)
        origin[i] = (uint64_t)window->communicator->world[member[i]];
    if (with_content)
        window_memory_write(&window->memory, content);
    agent_ask(caller, window, window->communicator->rank, request,
              (struct agent_body){{origin, content}, {(size_t)members * sizeof *origin, size}});
    free(content);
    free(origin);
}

/* What the window holds, while it is taken from a reply. */
static struct window_memory posted;

static void take_posted(const struct caller *caller, struct window *window, int target, const char *bytes, size_t size) {
    (void)caller;
    (void)window;
    (void)target;
    if (size > 0)
        window_memory_read(&posted, bytes);
}

struct window_memory served_conclude(const struct caller *caller, struct window *window) {
    posted = (struct window_memory){0};
    agent_ask_own(caller, window, (struct agent_request){.verb = AGENT_CONCLUDE, .exposed = EXPOSED_BY_POST}, agent_no_body(),
                  take_posted);
    const struct window_memory content = posted;
    posted = (struct window_memory){0};
    if (served_by_own_agent(window) == SERVED_ALL)
        passive_look(caller, window);
    return content;
}

void served_begin_fence(const struct caller *caller, const struct window *window) {
    const int own = window->communicator->rank;
    const struct agent_request request = {.verb = AGENT_EXPOSE, .exposed = EXPOSED_BY_FENCE, .start = window->begun + 1};
    if (served_in_fences(window, own))
        agent_ask(caller, window, own, request, agent_no_body());
}

void served_end_fence(const struct caller *caller, struct window *window, uint64_t accesses) {
    const struct agent_request request = {.verb = AGENT_CONCLUDE, .exposed = EXPOSED_BY_FENCE, .start = (int64_t)accesses};
    agent_ask_own(caller, window, request, agent_no_body(), agent_use_nothing);
}

/* ---- the origin ---- */

static struct agent_request request_of(const struct window *window) {
    struct agent_request request = {.verb = AGENT_ACCESS, .exposed = EXPOSED_BY_POST};
    if (window->epoch == EPOCH_FENCE) {
        request.exposed = EXPOSED_BY_FENCE;
        request.start = window->begun;
    }
    return request;
}

void served_issued(const struct caller *caller, struct window *window, int target) {
    struct window_target *at = &window->target[target];
    const struct access *last = at->issued[at->issued_count - 1].access;
    const bool posted = window->epoch == EPOCH_START;
    if (!(posted ? window_is_loaded_by_others(window, target) : served_in_fences(window, target)))
        return;
    if (posted && !rank_agents_expose())
        passive_begin_anew(caller, AGENTS_SHARED, AGENTS_EXPOSING);
    at->sent_count = at->issued_count;
    agent_ask(caller, window, target, request_of(window), (struct agent_body){{last, ""}, {last->size, 0}});
}

/* Where what is fetched goes, while it is waited for. */
static char **fetched;

static void take_fetched(const struct caller *caller, struct window *window, int target, const char *bytes, size_t size) {
    (void)caller;
    (void)window;
    fetched[target] = malloc(size + 1);
    memcpy(fetched[target], bytes, size);
}

/* SERVED_ATOMIC: those that an agent does. */
static bool is_asked(const struct issued_access *issued) { return access_is_atomic(issued->access); }
static bool is_fetched(const struct issued_access *issued) { return is_asked(issued) && issued->access->result > 0; }

/* Each may be done before or after others'. */
static void ask_atomic(const struct caller *caller, struct window *window, int target) {
    const struct window_target *at = &window->target[target];
    for (size_t i = 0; i < at->issued_count; i++) {
        struct agent_request request = request_of(window);
        request.reply = is_fetched(&at->issued[i]) ? AGENT_REPLY : 0;
        if (is_asked(&at->issued[i]))
            agent_ask(caller, window, target, request,
                      (struct agent_body){{at->issued[i].access, ""}, {at->issued[i].access->size, 0}});
    }
}

/* The results of the accesses before this one of the target come first. */
static size_t place_of_result(const struct window_target *at, size_t issued) {
    size_t place = 0;
    for (size_t i = 0; i < issued; i++)
        place += at->issued[i].access->result;
    return place;
}

/* By target: the next access whose result comes. */
static size_t *next;

static void take_atomic(const struct caller *caller, struct window *window, int target, const char *bytes, size_t size) {
    const struct window_target *at = &window->target[target];
    if (served_by_agent(window, target) == SERVED_ALL) {
        take_fetched(caller, window, target, bytes, size);
        return;
    }
    while (!is_fetched(&at->issued[next[target]]))
        next[target]++;
    memcpy(fetched[target] + place_of_result(at, next[target]++), bytes, size);
}

static void expect_fetched(const struct caller *caller, const struct window *window, int target,
                           struct agent_replies *replies) {
    const struct window_target *at = &window->target[target];
    if (served_by_agent(window, target) == SERVED_ALL && window_target_fetches(at))
        agent_expect(caller, window, target, replies);
    for (size_t i = 0; i < at->issued_count && served_by_agent(window, target) == SERVED_ATOMIC; i++) {
        if (is_fetched(&at->issued[i]))
            agent_expect(caller, window, target, replies);
    }
}

static void ask_end(const struct caller *caller, struct window *window, int target) {
    const bool all = served_by_agent(window, target) == SERVED_ALL;
    struct agent_request request = request_of(window);
    request.unlocks = 1;
    request.reply = all && window_target_fetches(&window->target[target]) ? AGENT_REPLY : 0;
    if (!all)
        ask_atomic(caller, window, target);
    agent_ask(caller, window, target, request, agent_no_body());
}

bool served_complete(const struct caller *caller, struct window *window, char **results) {
    struct agent_replies replies = {0};
    const int size = window->communicator->size;
    if (!rank_agents_expose())
        return false;
    for (int i = 0; i < size; i++) {
        if (window->target[i].in_access_group)
            ask_end(caller, window, i);
    }
    for (int i = 0; i < size; i++) {
        if (window->target[i].in_access_group)
            expect_fetched(caller, window, i, &replies);
    }
    const bool any = replies.count > 0;
    fetched = results;
    next = calloc((size_t)size, sizeof *next);
    agent_await(caller, window, &replies, take_atomic);
    free(next);
    next = NULL;
    fetched = NULL;
    return any;
}

void served_take_fetched(const struct caller *caller, struct window *window, char **results) {
    struct agent_replies replies = {0};
    for (int i = 0; i < window->communicator->size; i++) {
        struct agent_request request = request_of(window);
        request.reply = AGENT_REPLY;
        if (!served_in_fences(window, i) || !window_target_fetches(&window->target[i]))
            continue;
        agent_ask(caller, window, i, request, agent_no_body());
        agent_expect(caller, window, i, &replies);
    }
    fetched = results;
    agent_await(caller, window, &replies, take_fetched);
    fetched = NULL;
}
