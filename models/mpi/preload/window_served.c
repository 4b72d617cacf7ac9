#include "models/mpi/preload/window_served.h"

#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/window_asking.h"
#include "models/mpi/preload/window_passive.h"

#include <stdlib.h>
#include <string.h>

bool served_by_agent(const struct window *window) { return window->sharing != NULL && rank_agents_expose(); }

void served_expose(const struct caller *caller, const struct window *window, const int *member, int members) {
    uint64_t *origin = malloc(((size_t)members + 1) * sizeof *origin);
    for (int i = 0; i < members; i++)
        origin[i] = (uint64_t)window->communicator->world[member[i]];
    agent_ask(caller, window, window->communicator->rank,
              (struct agent_request){.verb = AGENT_EXPOSE, .parts = (uint16_t)members},
              (struct agent_body){{origin, ""}, {(size_t)members * sizeof *origin, 0}});
    free(origin);
}

void served_conclude(const struct caller *caller, struct window *window) {
    agent_ask_own(caller, window, (struct agent_request){.verb = AGENT_CONCLUDE}, agent_no_body(), agent_use_nothing);
    passive_synchronise(caller, window);
}

void served_issued(const struct caller *caller, struct window *window, int target) {
    struct window_target *at = &window->target[target];
    const struct access *last = at->issued[at->issued_count - 1].access;
    if (window->sharing == NULL)
        return;
    if (!rank_agents_expose())
        passive_begin_anew(caller, AGENTS_SHARED, AGENTS_EXPOSING);
    at->sent_count = at->issued_count;
    agent_ask(caller, window, target, (struct agent_request){.verb = AGENT_ACCESS, .exposed = 1},
              (struct agent_body){{last, ""}, {last->size, 0}});
}

/* Where what is fetched goes, while it is waited for. */
static char **fetched;

static void take_fetched(const struct caller *caller, struct window *window, int target, const char *bytes, size_t size) {
    (void)caller;
    (void)window;
    free(fetched[target]);
    fetched[target] = malloc(size + 1);
    memcpy(fetched[target], bytes, size);
}

void served_complete(const struct caller *caller, struct window *window, char **results) {
    struct agent_replies replies = {0};
    for (int i = 0; i < window->communicator->size; i++) {
        struct agent_request request = {.verb = AGENT_ACCESS, .exposed = 1, .unlocks = 1};
        request.reply = window_target_fetches(&window->target[i]) ? AGENT_REPLY : 0;
        if (window->target[i].in_access_group)
            agent_ask(caller, window, i, request, agent_no_body());
    }
    for (int i = 0; i < window->communicator->size; i++) {
        if (window->target[i].in_access_group && window_target_fetches(&window->target[i]))
            agent_expect(caller, window, i, &replies);
    }
    fetched = results;
    agent_await(caller, window, &replies, take_fetched);
    fetched = NULL;
}
