/* Requests to agents (window_agent.h) as a rank makes them, and waiting for their replies. */
#ifndef MODELS_MPI_PRELOAD_WINDOW_ASKING_H
#define MODELS_MPI_PRELOAD_WINDOW_ASKING_H

#include "models/mpi/preload/windows/window_agent.h"
#include "models/mpi/preload/windows/windows.h"

/* Tells the explorer of the context that requests to agents have. Once is enough, more does no harm. */
void agents_announce(void);

/* What follows a request: two blocks of bytes. */
struct agent_body {
    const void *bytes[2];
    size_t size[2];
};
struct agent_body agent_no_body(void);

/* The member of the window's group whose agent has the window of `target`; its name there; the tag that its replies have for this
 * target. */
int agent_home(const struct window *window, int target);
uint64_t agent_name_of(const struct window *window, int target);
int agent_reply_tag(const struct window *window, int target, int tag);

/* Sends a request to the agent of `target`, a rank in the window's group. */
void agent_ask(const struct caller *caller, const struct window *window, int target, struct agent_request request,
               struct agent_body body);

/* Replies awaited from several targets. All zero: from none. */
struct agent_replies {
    uint32_t *request;
    int *target;
    uint32_t count;
    int place; /* of the call that waits for them: see struct wire_call, `tag` */
};

/* Called with a reply, without its head. */
typedef void agent_use(const struct caller *caller, struct window *window, int target, const char *bytes, size_t size);
agent_use agent_use_nothing;

/* One more: the reply (AGENT_REPLY) of the agent of `target`. */
void agent_expect(const struct caller *caller, const struct window *window, int target, struct agent_replies *replies);
/* Blocks until all are there. A fault among them ends the rank. Frees the lists. */
void agent_await(const struct caller *caller, struct window *window, struct agent_replies *replies, agent_use *use);

/* Asks the agent of `target` and blocks until it replies. */
void agent_ask_and_wait(const struct caller *caller, struct window *window, int target, struct agent_request request,
                        struct agent_body body, agent_use *use);
/* The same with this process's own agent. */
void agent_ask_own(const struct caller *caller, struct window *window, struct agent_request request, struct agent_body body,
                   agent_use *use);

#endif
