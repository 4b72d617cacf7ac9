/* What the parts of an agent (window_agent.h) know of each other. */
#ifndef MODELS_MPI_PRELOAD_WINDOW_AGENT_PARTS_H
#define MODELS_MPI_PRELOAD_WINDOW_AGENT_PARTS_H

#include "models/mpi/preload/windows/window_agent.h"

/* An access that its origin has not completed, in `struct public_window.open`: its result and the access follow. */
struct open_access {
    uint64_t size;     /* of all of it */
    uint64_t returned; /* its result was replied already */
    uint64_t changed;  /* it has left something else in the window than there was */
    uint64_t exposed;  /* it is not of an epoch of locks (EXPOSED_NOT): the owner completes it */
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

/* What MPI_Fetch_and_op has been called with. */
struct operator_use {
    struct access_run at;
    MPI_Op op;
    MPI_Datatype type;
};

enum held { HELD_NOT, HELD, HELD_UNCHECKED };

struct public_window {
    uint64_t name;
    int64_t base;                /* address of offset 0 at the owner */
    struct window_memory memory; /* the public copy */
    struct window_memory shadow; /* what the owner had when it last synchronised */
    struct records open;         /* sorted by origin; those of one origin in program order */
    struct records waiting;      /* in the order of arrival */
    struct records closed;       /* window_closed.c */
    struct records own_uses;     /* by the owner, in buffers of its own accesses: window_uses.h */
    struct records passed;       /* window_overlaps.c */
    bool keeps_passed;
    bool fetched;
    uint8_t *held; /* by rank: whether it holds a lock: enum held */
    int holders;
    int exclusive;    /* rank that holds it alone, or -1 */
    uint8_t *listens; /* window_exposed.c: by rank, whether accesses of an epoch of start are done; and how many's: */
    int listened_to;
    struct window_memory posted; /* what it holds, by atomic accesses of such epochs, if that is its owner's memory */
    uint64_t begun; /* of epochs of fences: the owner's fences since one that all entered, and the accesses done since then */
    uint64_t brought;
    bool is_within;            /* window_within.h: its memory is in segments */
    struct noted_fault *fault; /* sorted by origin */
    size_t faults;
    struct operator_use *used; /* sorted by place */
    size_t uses;
    struct view *view; /* of a segment of a shared window: by rank; else NULL, and the owner alone has it in its memory */
};

/* NULL: there is none of that name; the i-th, in the order of their creation: there are fewer. */
struct public_window *agent_find_window(uint64_t name);
const struct public_window *agent_window_at(size_t i);
const struct access *agent_access_of(const struct open_access *open);

/* Sends `head` and the head->size bytes after it. */
void agent_reply(int origin, const struct agent_request *request, const struct agent_reply *head, const void *bytes);

/* The origin will be told with its next reply, which takes the fault; none: all zero. */
void agent_note_fault(struct public_window *in, int origin, uint64_t kind, const struct access *first,
                      const struct access *second, const struct access_run *at);
struct agent_reply agent_take_fault(struct public_window *in, int origin);

/* The bytes that the owner's request is about; NULL: all. */
const struct spans *agent_spans(const struct agent_request *request, struct spans *room);
/* Does it want to know of this access of another's? */
bool agent_is_wanted(const struct agent_request *request, const struct access *access);

/* From now on the agent listens to this rank alone; -1: to all again. */
void agent_listen_to(int origin);

/* Notes a fault for each access in progress that the stores are in conflict with. */
void agent_check_open(struct public_window *in, int origin, const struct access *stores);

/* Puts bytes into a list, at this place; takes some out. */
void agent_insert(struct records *records, size_t at, const void *bytes, size_t size);
void agent_cut(struct records *records, size_t at, size_t size);
/* Cuts out the open accesses that end; asks about each once, in their order. There may be thousands. */
void agent_end_open(struct public_window *in, bool (*ends)(const struct open_access *open, void *context), void *context);

/* window_closed.c: an access is complete. */
void closed_note(struct public_window *in, const struct open_access *open);
/* Notes a fault if the owner's stores are in conflict with one. */
void closed_check(struct public_window *in, const struct access *stores);
/* Appends those that the owner's request wants to know of. */
char *closed_append(const struct public_window *in, const struct agent_request *request, char *bytes, uint64_t *size);
/* The owner knows of all of them, and has said what it stored. */
void closed_forget(struct public_window *in);
/* ... of what is at these bytes. */
void closed_forget_at(struct public_window *in, const struct spans *spans);
/* ... those that are over for an owner in this phase (window_told.h). */
void closed_forget_over(struct public_window *in, uint8_t phase);

/* window_operators.c: an access comes, which may not have anything to do with it. Ends the agent if it needs AGENTS_MEETING. */
void agent_note_operator(struct public_window *in, const struct access *access);

/* window_exposed.c: has a request to wait that is EXPOSED_BY_POST or EXPOSED_BY_FENCE? Serves AGENT_EXPOSE; AGENT_CONCLUDE; the origin
 * has ended its epoch of start. */
bool exposed_must_wait(const struct public_window *in, int origin, const struct agent_request *request);
void exposed_begin(struct public_window *in, const struct agent_request *request);
void exposed_conclude(struct public_window *in, int origin, const struct agent_request *request);
/* Does accesses to what a window of its owner's holds. */
bool exposed_is_owners(const struct public_window *in, const struct agent_request *request);
void exposed_do_accesses(struct public_window *in, int origin, const struct agent_request *request, const char *bytes,
                         size_t size);
void exposed_end(struct public_window *in, int origin);

/* window_bytes.c: memory that several windows have, which is the same bytes then. */
void bytes_create_within(struct public_window *made, const struct part_of_segment *part, uint32_t parts);
/* The window is going to be no more: what others have of its memory is lost. */
void bytes_take_from_others(const struct public_window *old);
/* Is one within segments, and the other such a segment or within one, too? */
bool bytes_may_be_same(const struct public_window *a, const struct public_window *b);

/* window_overlaps.c: notes a fault for each access in progress, through another window, that the access must not meet. */
void overlaps_check_open(struct public_window *in, int origin, const struct access *access);
/* What the access, or stores, have changed in the public copy, or in the shadow, becomes so in other windows. */
void overlaps_copy_memory(const struct public_window *in, const struct access *access);
void overlaps_copy_shadow(const struct public_window *in, const struct access *access);
/* The access becomes complete by the request. */
void overlaps_note_passed(struct public_window *in, const struct open_access *open, const struct agent_request *request);
/* Serves AGENT_PASSED. */
void overlaps_return_passed(struct public_window *in, int origin, const struct agent_request *request);
/* A new window, or one to which memory was attached, has what others have, which its owner may not know yet. */
void overlaps_begin(struct public_window *made);

/* window_views.c: the window is a segment; it is one no more. */
void views_begin(struct public_window *in);
void views_end(struct public_window *in);
/* Serves AGENT_SHARE: `size` bytes of stores. */
void views_share(int origin, const struct agent_request *request, const char *bytes, size_t size);

#endif
