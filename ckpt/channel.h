/* The shared memory between the explorer and the processes of the program under test: one region made by the explorer, mapped
 * by the zygote when the program is at its root state and inherited by the executors. Nothing in it is trusted by the
 * explorer.
 *
 *     struct channel | mailbox 0 (zygote) | mailbox 1 (executor 0) | … | parking places | page store | node store
 *                      each with an answer area and a report area
 *
 * A mailbox is a strict dialogue: the explorer fills in a command and increments `command`; the other side does it, fills in
 * the result and sets `report` to the same number. Both words are futexes. A parked process listens at a parking place only,
 * and answers a ring by making a copy of itself, which then talks through the mailbox named there.
 */
#ifndef CKPT_CHANNEL_H
#define CKPT_CHANNEL_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define CHANNEL_VERSION 1u
#define CHANNEL_VARIABLE "EXPLORE_CHANNEL" /* environment: the descriptor number of the region */
#define CHANNEL_AREA_BYTES (1ull << 30)    /* address space of an answer or report area; sparse */

enum channel_command {
    COMMAND_SPAWN = 1, /* zygote: start executor `argument`, whose memory is named `root_in` (BLOCK_NONE: not known yet) */
    COMMAND_ROOT,      /* executor: make the root local state of rank `argument`; report its root */
    COMMAND_STEP,      /* executor: load `root_in` (BLOCK_NONE: stay), answer with the answer area, run to the next block */
    COMMAND_PARK,      /* executor: from now on listen at parking place `argument`; no report */
};

enum channel_status {
    STATUS_NONE = 0,
    STATUS_READY,      /* zygote: at MPI_Init; executor: base image captured */
    STATUS_BLOCKED,    /* report area holds the step's records, `root` the local state reached */
    STATUS_ENDED,      /* report area holds the records; no local state */
    STATUS_STORE_FULL, /* the page store is full: the memory budget is used up */
    STATUS_CORRUPT,    /* a stored page no longer has its content */
    STATUS_CANNOT,     /* `text` says why the zygote or executor cannot work */
};

struct mailbox {
    _Atomic uint32_t command; /* explorer writes */
    uint32_t verb;            /* enum channel_command; explorer */
    uint32_t argument;        /* explorer */
    uint32_t root_in;         /* explorer: root to load */
    uint32_t zero[12];
    _Atomic uint32_t report; /* the other side writes, as all below */
    uint32_t status;         /* enum channel_status */
    uint32_t root_out;
    int32_t pid;
    uint64_t report_size;   /* bytes in the report area */
    uint64_t pages_captured, pages_restored;
    char tracker[16];
    char text[200];
};

struct parking {
    _Atomic uint32_t ring; /* futex; the explorer increments it */
    uint32_t executor;     /* whose mailbox the copy shall use */
    uint32_t zero[14];
};

struct channel {
    uint32_t version;
    uint32_t ranks;
    uint32_t executors;
    uint32_t tracker; /* enum tracker_choice */
    int32_t explorer_pid;
    uint32_t parkings;
    uint32_t keeps_pages; /* the page store keeps content */
    uint32_t variant;     /* explorer: of the roots made from now on; means something to the rank only */
    uint64_t arena_bytes; /* most memory the program may allocate */
    uint64_t bytes;       /* of the whole region */
    uint64_t mailbox_stride, parkings_at, pages_at, nodes_at;
};

static inline struct mailbox *channel_mailbox(const struct channel *channel, uint32_t number) {
    return (struct mailbox *)((char *)channel + 4096 + number * channel->mailbox_stride);
}
static inline char *mailbox_answer(struct mailbox *mailbox) { return (char *)mailbox + 4096; }
static inline char *mailbox_report(struct mailbox *mailbox) { return (char *)mailbox + 4096 + CHANNEL_AREA_BYTES; }

static inline struct parking *channel_parking(const struct channel *channel, uint32_t number) {
    return (struct parking *)((char *)channel + channel->parkings_at) + number;
}

_Static_assert(sizeof(struct mailbox) <= 4096 && sizeof(struct channel) <= 4096, "one page each");
_Static_assert(offsetof(struct mailbox, report) == 64, "the two sides write different cache lines");

#endif
