#include "models/mpi/preload/window_served.h"

#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/window_asking.h"
#include "models/mpi/preload/window_passive.h"

#include <stdlib.h>
#include <string.h>

bool served_by_agent(const struct window *window, int target) {
    return window_is_loaded_by_others(window, target) && rank_agents_expose();
}

bool served_by_own_agent(const struct window *window) { return served_by_agent(window, window->communicator->rank); }

bool served_in_fences(const struct window *window, int target) {
    return window_is_within(window, target) || (window->sharing != NULL && rank_agents_meet());
}

/* ---- the target ---- */

void served_expose(const struct caller *caller, const struct window *window, const int *member, int members) {
    const struct agent_request request = {.verb = AGENT_EXPOSE, .exposed = EXPOSED_BY_POST, .parts = (uint16_t)members};
    uint64_t *origin = malloc(((size_t)members + 1) * sizeof *origin);
    for (int i = 0; i < members; i++)
        origin[i] = (uint64_t)window->communicator->world[member[i]];
    agent_ask(caller, window, window->communicator->rank, request,
              (struct agent_body){{origin, ""}, {(size_t)members * sizeof *origin, 0}});
    free(origin);
}

static void conclude(const struct caller *caller, struct window *window, struct agent_request request) {
    request.verb = AGENT_CONCLUDE;
    agent_ask_own(caller, window, request, agent_no_body(), agent_use_nothing);
}

void served_conclude(const struct caller *caller, struct window *window) {
    conclude(caller, window, (struct agent_request){.exposed = EXPOSED_BY_POST});
    passive_look(caller, window);
}

void served_begin_fence(const struct caller *caller, const struct window *window) {
    const int own = window->communicator->rank;
    const struct agent_request request = {.verb = AGENT_EXPOSE, .exposed = EXPOSED_BY_FENCE, .start = window->begun + 1};
    if (served_in_fences(window, own))
        agent_ask(caller, window, own, request, agent_no_body());
}

void served_end_fence(const struct caller *caller, struct window *window, uint64_t accesses) {
    conclude(caller, window, (struct agent_request){.exposed = EXPOSED_BY_FENCE, .start = (int64_t)accesses});
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

static void await_fetched(const struct caller *caller, struct window *window, struct agent_replies *replies, char **results) {
    fetched = results;
    agent_await(caller, window, replies, take_fetched);
    fetched = NULL;
}

void served_complete(const struct caller *caller, struct window *window, char **results) {
    struct agent_replies replies = {0};
    for (int i = 0; i < window->communicator->size; i++) {
        struct agent_request request = request_of(window);
        request.unlocks = 1;
        request.reply = window_target_fetches(&window->target[i]) ? AGENT_REPLY : 0;
        if (window->target[i].in_access_group && served_by_agent(window, i))
            agent_ask(caller, window, i, request, agent_no_body());
    }
    for (int i = 0; i < window->communicator->size; i++) {
        if (window->target[i].in_access_group && served_by_agent(window, i) && window_target_fetches(&window->target[i]))
            agent_expect(caller, window, i, &replies);
    }
    await_fetched(caller, window, &replies, results);
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
    await_fetched(caller, window, &replies, results);
}
