/* The shared memory between the explorer and the processes of the program under test: one region made by the explorer, mapped
 * by the zygote when the program is at its root state and inherited by the executors. Nothing in it is trusted by the
 * explorer.
 *
 *     struct channel | mailbox 0 (zygote) | mailbox 1 (executor 0) | … | parking places | page store | node store | layout
 *                      each with an answer area, a report area, and the slots of a batch
 *
 * A mailbox is a strict dialogue: the explorer fills in a command and increments `command`; the other side does it, fills in the
 * result and sets `report` to the same number. Both words are futexes. A batch of n steps is n commands given at once: `report`
 * says how far the other side has come, and the results lie in the slots of the batch, the last one's in the mailbox. A parked
 * process listens at a parking place only, and answers a ring by making a copy of itself, which then talks through the mailbox
 * named there. One that sleeps is out of the region, so that it can be kept outside of memory; the message that wakes it is the
 * number of its executor (uint32_t).
 */
#ifndef CKPT_CHANNEL_H
#define CKPT_CHANNEL_H

#include "ckpt/memory_layout.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define CHANNEL_VERSION 4u
#define CHANNEL_VARIABLE "EXPLORE_CHANNEL" /* environment: the descriptor number of the region */
/* Names of the memory files that are the program's standard streams. */
#define STREAM_NAME_INPUT "explore-stdin"
#define STREAM_NAME_OUT "explore-stdout"
#define STREAM_NAME_ERROR "explore-stderr"
#define STEP_TIMES_VARIABLE \
    "EXPLORE_STEP_TIMES" /* environment of the explorer: it says at its end where the time of steps went */
#define CHANNEL_LINE 801 /* descriptor of the socket to sleep at, for backends that need one */
#define CHANNEL_HOLD \
    UINT32_MAX /* instead of an executor's number: stand in the call, to be looked at, after a byte on the line */
#define IMAGE_DESCRIPTION "explore-state" /* file in a folder of an image that is kept: what state it is, as text */
/* Environment: if it is set, a log is kept of which call allocated each heap block. It has a place of its own. */
#define ALLOCATION_LOG_VARIABLE "EXPLORE_ALLOCATION_LOG"
#define ALLOCATION_LOG_AT 0x0e0000000000ull
#define ALLOCATION_LOG_BYTES (12ull << 30)
#define ALLOCATION_GRANULE 16            /* bytes of the heap for which the log has a word */
#define STACK_BYTES_MOST (1024ull << 20) /* of the program's stack, also where its size is unlimited */
#define CHANNEL_AREA_BYTES (1ull << 30)  /* address space of an answer or report area; sparse */

enum channel_command {
    COMMAND_SPAWN = 1, /* zygote: start executor `argument`, whose memory is named `root_in` (BLOCK_NONE: not known yet) */
    COMMAND_ROOT,      /* executor: make the root local state of rank `argument`; report its root */
    COMMAND_STEP,      /* executor: load `root_in` (BLOCK_NONE: stay), answer with the answer area, run to the next block */
    COMMAND_BATCH,     /* executor: `steps` such steps, one after the other, each described by its slot */
    COMMAND_PARK,      /* executor: from now on listen at parking place `argument`; no report */
    COMMAND_PAUSE, /* executor: load `root_in` (BLOCK_NONE: stay) and stay in the call for good, on the program's stack; report READY */
    COMMAND_SLEEP, /* leave the region and sleep at CHANNEL_LINE (ckpt/criu_sleep.h); no report. A copy of the zygote that is
                          woken becomes an executor, as after COMMAND_SPAWN */
};

enum channel_status {
    STATUS_NONE = 0,
    STATUS_READY,      /* zygote: at MPI_Init; executor: base image captured */
    STATUS_BLOCKED,    /* report area holds the step's records, `root` the local state reached */
    STATUS_ENDED,      /* report area holds the records; `root` names the memory at the end, BLOCK_NONE: not kept */
    STATUS_STORE_FULL, /* the page store is full: the memory budget is used up */
    STATUS_CORRUPT,    /* a stored page no longer has its content */
    STATUS_CANNOT,     /* `text` says why the zygote or executor cannot work */
};

/* Memory of a window that others change in an epoch, some pieces of one size at equal distances, and where they do. */
struct mailbox_piece {
    uint64_t at, bytes;
    uint32_t count, distance;
    uint64_t site;
    uint32_t rank;
    uint16_t function;
    uint16_t watched; /* of a shared window, whose `rank` it is of: at `site` of it; accesses of the program are known there */
    uint64_t since;   /* it may have been at any time since the rank left so many barriers of its epoch, or PIECE_HEARD */
};
enum { PIECE_HEARD = 255 }; /* whoever made that access had heard something else, or it is not known */

/* Of one window; more pieces than there is room for are left out. */
enum { EXPOSED_PIECES = 16384 };
enum asked_state {
    ASKED_NOWHERE = 0, /* the program did not run in the epoch */
    ASKED_PUT,         /* the bytes were there */
    ASKED_TOLD,        /* ... and the rank said something to others meanwhile */
};
enum exposure_sharing {
    EXPOSURE_OF_EPOCH = 0, /* an epoch's accesses */
    EXPOSURE_SHARED,       /* stores to a shared window while the program ran in the one step before */
};
enum exposure_epoch {
    EXPOSURE_FENCES = 0,
    EXPOSURE_POST,
    EXPOSURE_LOCKS, /* none: accesses under locks since the rank learned of such last */
};
struct mailbox_exposure {
    uint64_t window;
    uint32_t pieces;
    uint32_t shared; /* enum exposure_sharing */
    /* If not 0: what is found may be no mistake, unless it is exact; that is known with agents that do this. Of an epoch: so it is
     * with what the rank reads before it says something, of pieces that are PIECE_HEARD. */
    uint32_t agents;
    uint32_t epoch;      /* enum exposure_epoch */
    uint32_t after;      /* asked: only once the rank has issued so many operations in the step */
    uint32_t begun;      /* which of the epochs since a fence that all entered, from 0 */
    uint32_t is_exact;   /* of a shared window: what is found is a mistake if the piece is watched */
    uint32_t only_since; /* asked: each piece only from its `since` on */
    uint32_t receives;   /* under locks: who made these accesses may have heard of a receive that the rank has posted */
    uint32_t barrier; /* nobody who made these accesses can have heard that the rank enters the collective that ends the step */
    uint32_t suspects; /* explorer: what is found is only known with these agents */
    uint32_t earlier;  /* asked: what is asked about is not the last step before */
    uint32_t closes;   /* asked: no other bytes are put there, but it is closed to the program's stores */
    uint32_t beside;   /* ... until so many were to other bytes in its pages */
    struct mailbox_piece piece[EXPOSED_PIECES];
};

/* The variants of a step with memory that the program must not read: from 1 to this; and of one with windows that it did not look
 * at. */
enum { BUFFER_VARIANTS = 2, UNSEEN_VARIANTS = 1 };
/* After these: no other bytes, but it is noted which of them the program touches. */
enum { UNSEEN_TOUCHES = UNSEEN_VARIANTS + 1 };
/* After those with other bytes: none, but memory whose content the rank has forgotten is closed to the program. */
enum { CLOSED_VARIANT = BUFFER_VARIANTS + 1 };

enum { TOUCHED_MOST = 8 };

struct mailbox {
    _Atomic uint32_t command; /* explorer writes */
    uint32_t verb;            /* enum channel_command; explorer */
    uint32_t argument;        /* explorer */
    uint32_t root_in;         /* explorer: root to load */
    uint32_t log_in;          /* explorer: the allocation log that goes with it; BLOCK_NONE: none */
    uint32_t variant;         /* explorer: whether memory that the program must not read holds something else; 0: no */
    uint32_t variant_most;    /* explorer: if not 0, only the first so many pieces */
    uint32_t steps;           /* explorer: of a batch */
    uint32_t may_vary; /* explorer: the step may be run in its variants without being told; those of a batch always may */
    _Atomic uint32_t awaited; /* explorer: the number within a batch at which it wants to be woken, if it sleeps */
    uint32_t of_unseen;       /* explorer: ... and it is windows that were not looked at, and no other memory */
    uint32_t zero[5];
    _Atomic uint32_t report; /* the other side writes, as all below */
    uint32_t status;         /* enum channel_status */
    uint32_t root_out;
    int32_t pid;
    uint64_t report_size; /* bytes in the report area */
    uint64_t pages_captured, pages_restored;
    char tracker[16];
    char text[200];
    uint32_t log_out;      /* the allocation log at `root_out`; BLOCK_NONE: none is kept */
    uint32_t puts;         /* pieces of memory that the program must not read: so many in this step */
    uint32_t agreed;       /* so many variants, with other bytes in all of them, have come to the same already */
    uint32_t varies;       /* a variant is being run without having been asked for */
    uint16_t put_function; /* what the last one that held something else is of: enum mpi_function, and who and where */
    uint16_t put_in_window;
    uint32_t put_rank;
    uint64_t put_site;
    uint32_t unseen;         /* windows that the rank did not look at where it might have: so many in this step */
    uint32_t unseen_touched; /* the program has touched one: 1 + how many it was then, or before; 0: none */
    uint32_t touched;        /* so many ranges of bytes; UINT32_MAX: others too, or it is not known which: */
    uint32_t
        forgotten; /* so often the program went on while the content of some memory was forgotten, known at once; a receive's: */
    uint64_t forgotten_site; /* where it was made */
    uint64_t touched_from[TOUCHED_MOST], touched_to[TOUCHED_MOST];
    uint64_t load_ns, run_ns, capture_ns; /* what its steps took so far, if channel->timed */
    uint32_t done; /* of a batch: so many steps; it ends early where the explorer has to look at a result before it goes on */
    uint32_t asked_state;           /* enum asked_state */
    uint32_t keeps_blocks;          /* of those that the program has allocated after a message, some are still there */
    uint32_t shares;                /* the program has run with a shared window in this step */
    uint32_t asked_began;           /* the epoch that is asked about began in this step */
    uint32_t asked_issues;          /* operations issued in this step */
    uint32_t asked_told;            /* ASKED_TOLD: how many they were when it said something last */
    struct mailbox_exposure others; /* what others changed in the epoch that this step ended */
    struct mailbox_exposure asked;  /* explorer: put other bytes there, as in pending buffers, while others could change them */
};

enum { MAILBOX_BYTES = (sizeof(struct mailbox) + 4095) / 4096 * 4096 };

enum { BATCH_MOST = 16, BATCH_BYTES = 4056 };

/* A step within a batch. */
struct batched {
    uint32_t root_in, log_in, answer_size; /* explorer */
    uint32_t status, root_out, log_out;    /* the other side */
    uint64_t report_size;                  /* likewise */
    uint32_t agreed, keeps_blocks;         /* likewise */
    char bytes[BATCH_BYTES];               /* the answer, and then the report */
};

struct parking {
    _Atomic uint32_t ring; /* futex; the explorer increments it */
    uint32_t executor;     /* whose mailbox the copy shall use */
    uint32_t zero[14];
};

enum { PLACES_MOST = 96, KEPT_SITES_MOST = 16 };

/* A call site of receives. It means something to the rank only. */
struct kept_site {
    uint64_t site;
    uint64_t how;
};

struct channel {
    uint32_t version;
    uint32_t ranks;
    uint32_t program; /* number of the program among those that run together */
    uint32_t alone;   /* there is no other */
    uint32_t executors;
    uint32_t tracker; /* enum tracker_choice */
    int32_t explorer_pid;
    uint32_t parkings;
    uint32_t keeps_pages;   /* the page store keeps content */
    uint32_t keeps_threads; /* processes are kept whole */
    uint32_t keeps_final;   /* the memory of a rank at its end is wanted too */
    uint32_t timed;         /* steps are timed */
    uint32_t variant;     /* explorer: of the roots made from now on, like what follows; it means something to the rank only */
    uint32_t places;      /* explorer: so many */
    uint64_t arena_bytes; /* most memory the program may allocate */
    uint64_t bytes;       /* of the whole region */
    uint64_t mailbox_stride, parkings_at, pages_at, nodes_at, layout_at;
    uint64_t place[PLACES_MOST][4];
    struct kept_site kept_site[KEPT_SITES_MOST];
    uint32_t kept_sites; /* explorer: so many */
};

static inline struct mailbox *channel_mailbox(const struct channel *channel, uint32_t number) {
    return (struct mailbox *)((char *)channel + 4096 + number * channel->mailbox_stride);
}
static inline char *mailbox_answer(struct mailbox *mailbox) { return (char *)mailbox + MAILBOX_BYTES; }
static inline char *mailbox_report(struct mailbox *mailbox) { return (char *)mailbox + MAILBOX_BYTES + CHANNEL_AREA_BYTES; }
static inline struct batched *mailbox_batched(struct mailbox *mailbox, uint32_t at) {
    return (struct batched *)((char *)mailbox + MAILBOX_BYTES + 2 * CHANNEL_AREA_BYTES) + at;
}

static inline uint64_t mailbox_bytes(void) {
    return MAILBOX_BYTES + 2 * CHANNEL_AREA_BYTES + BATCH_MOST * sizeof(struct batched);
}

static inline struct parking *channel_parking(const struct channel *channel, uint32_t number) {
    return (struct parking *)((char *)channel + channel->parkings_at) + number;
}

static inline struct memory_layout *channel_layout(const struct channel *channel) {
    return (struct memory_layout *)((char *)channel + channel->layout_at);
}

_Static_assert(sizeof(struct channel) <= 4096, "one page");
_Static_assert(sizeof(struct batched) == 4096, "the mailboxes stay aligned to pages");
_Static_assert(offsetof(struct mailbox, report) == 64, "the two sides write different cache lines");

#endif
