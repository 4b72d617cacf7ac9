/* Agents: they keep the public copies of a rank's windows, and the locks on them, so that others can access them while
 * the rank itself takes no part. An agent is a rank of its own to the explorer (protocol.h) that runs the library and
 * never the program: it receives a request from any rank, does it, and maybe replies. The order in which requests arrive
 * is the order of messages to a wildcard receive, so which lock is granted first, and which accumulate is done first, is
 * explored as everything else is.
 *
 * The segments of a shared window are public windows of one agent, that of the window's first member, one after the other:
 * their names are that of the window and the numbers after it. Every rank that has them in its memory has a view of each.
 *
 * Requests are messages with tag WIRE_TO_WINDOW on WIRE_AGENTS_CONTEXT. Replies are messages with the tag asked for on the
 * communicator `replies`: struct agent_reply and what the verb says, or with `bare` the results alone. */
#ifndef MODELS_MPI_PRELOAD_WINDOW_AGENT_H
#define MODELS_MPI_PRELOAD_WINDOW_AGENT_H

#include "models/mpi/preload/windows/window_accesses.h"
#include "models/mpi/protocol.h"

enum { AGENT_REPLY = 1, AGENT_REPLY_TO_REQUEST };

enum agent_verb {
    AGENT_CREATE = 1, /* a window; after the request: number of windows that are no more, their names, its memory */
    AGENT_ATTACH,     /* memory of a dynamic window; after the request: the memory */
    AGENT_DETACH,     /* ... that begins at `start` */
    AGENT_LOSE,       /* memory that begins at `start` is lost (window_lost.h). Replies as AGENT_RECONCILE */
    AGENT_RECONCILE,  /* the owner's stores come, if any. Replies, if it AGENT_DELIVERS, with the bytes that others changed, as
                         ACCESS_STORE if there are any, their accesses that change something and are not complete, without data, and
                         with ACCESS_COMPLETE_PUTs (window_closed.c); if it AGENT_ASKS with the puts among them of its `phase` */
    AGENT_PASSED, /* replies with accesses, without data: those that were completed since it was asked last, from when on it keeps
                     them, and those that are not complete; of the one `heard` is the origin's phase, of the other PASSED_OPEN */
    AGENT_USE,    /* from now on these are the uses of its memory (window_uses.h), which follow */
    AGENT_LOCK,   /* the lock `lock`, when it can be had. Replies as AGENT_RECONCILE */
    AGENT_ACCESS, /* accesses. Replies with the results of all accesses not yet replied to. With `lock`: all of an epoch, which waits
                         for that lock first. If not `exposed` EXPOSED_NOT: of an epoch of start, which waits until its origin is
                         listened to, or of the epoch that the owner's `start`th fence begins */
    AGENT_SHARE, /* a sharer's stores come, if any, ACCESS_STOREs to segments `op`. Replies with the number of bytes of the next,
                         ACCESS_STOREs of what others changed since the sharer's program last went on, and, if `delivers`, those of
                         what they changed since the sharer was told last. If it `holds`, the agent listens to nobody else until
                         another one `releases` */
    AGENT_CREATE_WITHIN, /* a window within segments that the agent has (window_within.h); after the request: windows that are no more,
                            as above, and its `parts`, each a struct part_of_segment. Replies */
    AGENT_EXPOSE, /* the owner's MPI_Win_post to the `parts` origins that follow, as uint64_t: they are listened to (window_served.h),
                       each until an AGENT_ACCESS of it `unlocks`, and what the window holds comes then, unless it is the agent's
                       memory; or its fence that begins an epoch, the `start`th since all entered one */
    AGENT_CONCLUDE, /* the owner's MPI_Win_wait: waits until no origin is; or its fence that ends an epoch: until `start` accesses
                       have been done. They are complete. Replies, after MPI_Win_wait with what the window holds by them if it is
                       not the agent's memory */
};

enum { AGENT_DELIVERS = 1, AGENT_ASKS };

/* What epoch a request is of, if an agent does its accesses. */
enum { EXPOSED_NOT, EXPOSED_BY_POST, EXPOSED_BY_FENCE };

/* The bytes from `start` on of a window are those from `offset` on of the segment `name`. */
struct part_of_segment {
    uint64_t name;
    int64_t offset, start;
    uint64_t size;
};

enum { PASSED_OPEN = 255, PASSED_SOMETIME = 254 /* complete, but its origin may not know yet */ };

struct agent_request {
    uint64_t window;  /* its communicator's context */
    uint64_t replies; /* context */
    int64_t
        start; /* AGENT_DETACH, AGENT_LOSE: of the region; AGENT_CREATE: address of the window's first byte, 0 of a dynamic one */
    uint32_t verb;
    uint16_t lock;     /* MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE */
    uint8_t unchecked; /* ... with MPI_MODE_NOCHECK */
    uint8_t exposed;   /* EXPOSED_NOT, ... */
    uint32_t reply;    /* tag; 0: none */
    uint8_t
        bare; /* one access, complete when its result is replied if it changes nothing; none: the origin's last one before */
    uint8_t closes; /* AGENT_ACCESS: the origin's accesses are complete */
    uint8_t unlocks;
    uint8_t delivers; /* AGENT_SHARE, AGENT_RECONCILE, and what replies as that does: above */
    uint16_t parts;   /* AGENT_CREATE: 1 of a segment, 0 of other windows; AGENT_SHARE: how many segments there are;
                          AGENT_RECONCILE: so many struct wire_span of offsets follow, before the stores; 0: of the whole window;
                          AGENT_EXPOSE: how many origins */
    uint16_t phase;   /* window_told.h: if it AGENT_ASKS, the owner's; AGENT_ACCESS: with AGENTS_MEETING */
    uint8_t waits;    /* AGENT_SHARE, like those below: the program does not go on before it is delivered to */
    uint8_t holds;
    uint8_t releases;
    uint8_t reads; /* WIRE_READS: it changes nothing, as what it closes did not, and keeps nobody out */
};
_Static_assert(sizeof(struct agent_request) == 48, "no padding");

enum agent_fault {
    AGENT_NO_FAULT = 0,
    AGENT_CONFLICT,  /* `first` and `second` at the same time */
    AGENT_STALE,     /* the owner, or a sharer, stored where others had changed the window since it last synchronised */
    AGENT_OUTSIDE,   /* `second` is not within attached memory */
    AGENT_LOST,      /* `second` is to memory that is lost */
    AGENT_UNCHECKED, /* a lock was asked for that `second.origin` keeps from being had, and one of both is unchecked */
};

struct agent_reply {
    uint64_t fault;   /* enum agent_fault */
    uint64_t segment; /* AGENT_SHARE: in which */
    struct access_run at;
    struct access first, second; /* without what follows them */
    uint64_t size;               /* bytes that follow */
};

_Noreturn void window_agent_run(void);

#endif
