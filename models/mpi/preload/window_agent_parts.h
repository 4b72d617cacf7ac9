/* What the parts of an agent (window_agent.h) know of each other. */
#ifndef MODELS_MPI_PRELOAD_WINDOW_AGENT_PARTS_H
#define MODELS_MPI_PRELOAD_WINDOW_AGENT_PARTS_H

#include "models/mpi/preload/window_agent.h"

/* An access that its origin has not completed, in `struct public_window.open`: its result and the access follow. */
struct open_access {
    uint64_t size;     /* of all of it */
    uint64_t returned; /* its result was replied already */
};

/* A list of records in one block, so that its place in memory does not depend on the order in which they came: neither does the
 * room that the block has, and what is not used of it is zero. */
struct records {
    char *bytes;
    size_t size;
};

/* The fault of an origin's access that it will be told of with its next reply. */
struct noted_fault {
    int origin;
    struct agent_reply fault;
};

struct public_window {
    uint64_t name;
    struct window_memory memory; /* the public copy */
    struct window_memory shadow; /* what the owner had when it last synchronised */
    struct records open;         /* sorted by origin; those of one origin in program order */
    struct records waiting;      /* in the order of arrival */
    uint8_t *held;               /* by rank: whether it holds a lock */
    int holders;
    int exclusive;             /* rank that holds it alone, or -1 */
    struct noted_fault *fault; /* sorted by origin */
    size_t faults;
    struct view *view; /* of a segment of a shared window: by rank; else NULL, and the owner alone has it in its memory */
};

/* NULL: there is none of that name. */
struct public_window *agent_find_window(uint64_t name);

/* Sends `head` and the head->size bytes after it. */
void agent_reply(int origin, const struct agent_request *request, const struct agent_reply *head, const void *bytes);

/* The origin will be told with its next reply, which takes the fault; none: all zero. */
void agent_note_fault(struct public_window *in, int origin, uint64_t kind, const struct access *first,
                      const struct access *second, const struct access_run *at);
struct agent_reply agent_take_fault(struct public_window *in, int origin);

/* From now on the agent listens to this rank alone; -1: to all again. */
void agent_listen_to(int origin);

/* Notes a fault for each access in progress that the stores are in conflict with. */
void agent_check_open(struct public_window *in, int origin, const struct access *stores);

/* window_views.c: the window is a segment; it is one no more. */
void views_begin(struct public_window *in);
void views_end(struct public_window *in);
/* Serves AGENT_SHARE: `size` bytes of stores. */
void views_share(int origin, const struct agent_request *request, const char *bytes, size_t size);

#endif
