/* The program's windows (MPI-3.1 chapter 11). Each is carried by a real MPICH window over one process, so that
 * attributes, names, info and error handlers live in MPICH under the handle that the program has; everything that other
 * processes have a part in is ours.
 *
 * In active target synchronisation (window_fence.c, window_post.c) accesses are kept by the origin until its epoch ends,
 * travel to the target as messages and are done by the target itself when it synchronises: nothing else can see the
 * window in between. In passive target synchronisation (window_lock.c) the target takes no part, so there is a public
 * copy of each window in section 11.4's sense, kept by an agent (window_agent.c); the private copy is the program's own
 * memory.
 *
 * The memory model is MPI_WIN_UNIFIED, that of every implementation in use, which much of what is written relies on: a
 * barrier or a message is enough for a process to see what another put into its window before, and for others to see what
 * it stored. So private and public copy are made the same whenever this process learns something from others and, if it
 * stored something, before it tells others anything. What a program does without either, like waiting in a loop that
 * makes no MPI call, it does not see.
 *
 * The program's own stores are found by comparing its memory with copies made earlier. Of shared windows, whose members load from
 * and store to each other's memory, window_sharing.h tells. */
#ifndef MODELS_MPI_PRELOAD_WINDOWS_H
#define MODELS_MPI_PRELOAD_WINDOWS_H

#include "models/mpi/preload/caller.h"
#include "models/mpi/preload/communicators/communicators.h"
#include "models/mpi/preload/datatypes/footprint.h"
#include "models/mpi/preload/memory/lent_memory.h"
#include "models/mpi/preload/memory/spans.h"
#include "models/mpi/preload/windows/window_accesses.h"
#include "models/mpi/preload/windows/window_touches.h"
#include "models/mpi/protocol.h"

/* In the place of a datatype, where there is no buffer: none that a program can have. */
#define NO_TYPE ((MPI_Datatype)0)

/* An access of this process that is not complete. */
struct issued_access {
    struct access *access;
    struct issued_buffer {
        void *address;
        MPI_Count count;
        MPI_Datatype type; /* held; NO_TYPE: there is no buffer */
    } result, given[2];    /* where the old content goes; what was given, which must stay as it is */
    uint32_t owned;        /* its buffers, as pending_buffers.h numbers them */
    bool requested;        /* MPI_Rput and the like: request number `request` owns them, until it is reported */
    uint32_t request;
};

/* An access that a request of the program fetches by, and what it is to. */
struct fetching {
    MPI_Request request;
    struct access *access;
};

/* What this process has in progress with one member of the window's group. */
struct window_target {
    uint64_t size;          /* of its window in bytes */
    MPI_Aint unit;          /* its displacement unit */
    int within;             /* window_within.h: 1 more than the member whose agent has it; 0: it is not within segments */
    int lock;               /* 0, MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE: held or asked for */
    bool unflushed;         /* passive target: accesses were made that are complete here but perhaps not there */
    struct touches touched; /* ... by those not known to be complete there; by which it was changed, too: */
    bool changes;
    bool in_access_group, in_exposure_group;
    uint8_t heard;          /* window_told.h */
    uint32_t starts, posts; /* window_announced.h; and how many have come from it that its epochs have not brought yet: */
    uint32_t announced;
    uint32_t token;            /* access epoch: request for the target's token (window_post.c) */
    uint32_t batch;            /* exposure epoch: request for the origin's accesses */
    struct fetching *fetching; /* MPI_Rget and MPI_Rget_accumulate since the last flush */
    size_t fetching_count;
    struct issued_access *issued; /* in program order, with room for a power of two */
    size_t issued_count;
    size_t sent_count; /* passive target: so many of them are with the agent already */
};

enum epoch {
    EPOCH_NONE,
    EPOCH_FENCE, /* a fence may have begun an epoch: it is one if there is an access */
    EPOCH_START, /* MPI_Win_start */
    EPOCH_LOCK,  /* MPI_Win_lock of at least one target */
    EPOCH_LOCK_ALL,
};

struct sharing;
struct told;
struct beside;

struct window {
    MPI_Win handle;
    struct communicator *communicator; /* of the window's group, hidden from the program */
    struct communicator *agents;       /* those of the group's members, in the same order; NULL: there are none */
    int flavor;                        /* MPI_WIN_FLAVOR_CREATE, ... */
    void *allocated;                   /* MPI_Win_allocate, MPI_Win_allocate_shared: to be freed */
    struct lent_memory **lent;   /* of each region of the memory that the program has given: MPI_Win_create, MPI_Win_attach */
    struct sharing *sharing;     /* window_sharing.h: its members have it all in their memory; else NULL */
    struct window_memory memory; /* the private copy */
    struct window_memory shadow; /* the same when an epoch of fence or post last began */
    struct window_memory published; /* the same as this process's agent knows it; none without agents */
    enum epoch epoch;               /* as origin */
    bool exposed;                   /* MPI_Win_post */
    bool is_starting;               /* MPI_Win_start is waiting */
    uint8_t barriers;               /* of all members, since the post or a fence that all entered; no more than HEARD_MOST */
    bool out_of_step;               /* with other windows' phases: one has begun since then without such a barrier */
    int asserted;                   /* by the fence or post that opened the exposure epoch */
    uint64_t fences;                /* names the asserts of all fences so far, on which members must agree */
    uint32_t begun;                 /* fences since the last that all entered: epochs that this process began by itself */
    uint32_t locks;                 /* targets locked one by one */
    int unasked;                    /* the target whose lock was not asked for yet, from 1; 0: none (window_lock.c) */
    bool unseen;                    /* window_unseen.h; and what of it: */
    bool is_up_to_date, was_touched, touched_before;
    struct spans looked_at; /* these bytes have been, by offset */
    bool heard;             /* ... anything from others since a fence that all entered last began an epoch */
    uint8_t phase; /* window_told.h; and how many have begun since the owner was told of others' accesses, or enough: */
    uint8_t phases_untold;
    uint8_t epochs; /* window_exposure.h: in which others changed it, as far as it matters */
    bool heard_in_phase;
    bool was_synchronous; /* a message was that it has received since the owner was told of others' accesses last */
    char *used;           /* what the agent knows to be used of its memory (window_uses.h), as accesses; NULL: nothing */
    size_t used_size;
    struct touches uses; /* what it is about to be told touches */
    struct told *told;   /* window_told.h: what this process has sent of its memory since */
    size_t told_count;
    struct beside *beside; /* window_beside.h */
    size_t beside_count;
    struct caller opened, posted;  /* where the epoch was opened, as origin; if it is exposed, where it was posted */
    struct window_target target[]; /* by rank in the window's group */
};

/* Is the target's memory in segments of a shared window, in whose name other ranks load from it and store to it? Is this process's? */
static inline bool window_is_within(const struct window *window, int target) { return window->target[target].within > 0; }
static inline bool window_is_loaded_by_others(const struct window *window, int target) {
    return window->sharing != NULL || window_is_within(window, target);
}
static inline bool window_is_for_others_to_load(const struct window *window) {
    return window_is_loaded_by_others(window, window->communicator->rank);
}

/* Is it in an epoch of fences or post, in which this process is a target, and has what others do there from their accesses alone? What
 * is in a shared window they load and store for themselves. */
static inline bool window_is_target(const struct window *window) {
    return (window->epoch == EPOCH_FENCE || window->exposed) && !window_is_for_others_to_load(window);
}

bool window_has_others_memory(const struct window *window); /* ... or anybody's? */

/* Reports a broken rule by the window's error handler: ends the rank with a finding of that class, or returns the error
 * code. */
int window_reject(const struct caller *caller, const struct window *window, int error_class, const char *class_name,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Sets *window, or reports that the handle names none. */
int check_window(const struct caller *caller, MPI_Win handle, struct window **window);

/* The value of a predefined attribute in which the carrier is wrong, as it is right for base, size and displacement unit: NULL for
 * any other key. */
const int *window_predefined(const struct window *window, int keyval);

/* Live windows in the order of their creation: the i-th, NULL after the last. */
struct window *window_at(size_t i);
/* Does a byte of the buffer lie in this rank's memory of a window? */
bool windows_hold(const struct footprint *buffer);
/* Has this process's memory of the window a byte of the region? */
bool window_has_memory_of(const struct window *window, const struct window_region *region);

/* An epoch begins or is over: the shadow becomes what the memory is now, and what was done in the epoch before is forgotten. */
void window_refresh_shadow(struct window *window);

/* Has this process accesses in progress? Does it want anything back from a target? */
bool window_has_issued(const struct window *window);
bool window_target_fetches(const struct window_target *target);

/* The accesses to one target as one block of bytes to be freed, and their size. */
char *window_batch(const struct window_target *target, size_t *size);
/* All accesses to a target are complete: their old contents, one after the other, go to their result buffers, and the
 * buffers given must not have changed. */
void window_complete_target(const struct caller *caller, const struct window *window, int target, const char *results);

/* window_order.c: does the accesses that other members made at the same time, in every order that shows. `batch` holds
 * `size` bytes of accesses, those of one origin in program order. This process's own stores since it last synchronised
 * are checked against them. `atomic`: what the window holds by those that are atomic, as an agent has done them; NULL: it has not.
 * Returns what the origins want back, in the order of `batch`; to be freed. */
char *window_apply(const struct caller *caller, struct window *window, const char *batch, size_t size,
                   const struct window_memory *atomic);

/* Ends the rank if the accesses, which an agent does, must not be made at the same time, or while this process has operations
 * pending whose buffers are there. */
void window_check(const struct caller *caller, struct window *window, const char *batch, size_t size);

/* Two accesses of which `second` must not be made at the same time as `first`. `target` is a rank in MPI_COMM_WORLD. */
_Noreturn void window_conflict(const struct caller *caller, int target, const struct access *first, const struct access *second,
                               const struct access_run *at);

/* Takes back the last access issued, which somebody else completes. */
void window_withdraw_last(struct window_target *target);
/* The request of an access has been reported: its number may become another one's. */
void windows_forget_request(uint32_t number);

/* One of `count` alternatives, decided by the explorer: 0 and up. `context`: any that has no messages of this process to itself.
 * `access`: what they are; NULL: they are no accesses. */
uint32_t window_choose(const struct caller *caller, uint64_t context, uint32_t count, const struct access *const *access);

#endif
