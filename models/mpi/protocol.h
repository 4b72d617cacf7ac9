/* What a rank (the library preloaded into the program) and the explorer say to each other about MPI.
 *
 * A step ends when the rank blocks, exits or fails. Its report is a byte stream of records, each starting on
 * an 8-byte boundary:
 *
 *     struct wire_record { kind, size }   size counts the header, the body and the padding
 *     body                                one of the structs below, then its variable part
 *
 * The explorer answers with one struct wire_resolution. Both directions use fixed widths, explicit padding and
 * the byte order of the machine: the two sides always run on one. Ranks are numbers in MPI_COMM_WORLD throughout.
 */
#ifndef MODELS_MPI_PROTOCOL_H
#define MODELS_MPI_PROTOCOL_H

#include <inttypes.h>
#include <stdint.h>

#define WIRE_ANY_SOURCE (-1)
#define WIRE_ANY_TAG (-1)
#define WIRE_NO_REQUEST UINT32_MAX
#define WIRE_BSEND_OVERHEAD 96u /* MPI_BSEND_OVERHEAD: bytes of the attached buffer that a message takes beside its own */
#define WIRE_WORLD_CONTEXT 1u   /* context of MPI_COMM_WORLD; every other context is a 64-bit hash of its creation */

/* Agents: one more rank for each rank of the program, numbered behind them all, which the program does not know of. The agent
 * of rank r keeps the public copies of r's windows (MPI-3.1 section 11.4) and does what others ask of them while r does
 * not take part. They exist only in programs that need them, and do no more than these need: */
enum agents {
    AGENTS_NONE = 0,
    AGENTS_SHARED,           /* all locks are shared: they need no messages */
    AGENTS_EXCLUSIVE,        /* exclusive locks too, on one window */
    AGENTS_GENERAL,          /* any number of windows, and owners that synchronise theirs while others hold them */
    AGENTS_LOCKING = 4,      /* besides: locks on shared windows are asked for, as some are exclusive */
    AGENTS_MEETING = 8,      /* besides: accesses go on until a message of its own completes them, so that any two can meet */
    AGENTS_ANNOUNCING = 128, /* besides: ranks announce accesses in epochs of fences and post (window_announced.h) */
    AGENTS_EXPOSING = 256,   /* besides: they do accesses in epochs of post (window_served.h) */
    AGENTS_NAMING = 512,     /* besides: they know whose complete accesses were (window_closed.c) */
    /* No agents, but in the same number: ranks tell each other how they have changed files (file_turns.h). */
    AGENTS_TAKING_TURNS = 1024,
};

/* Agents are also the homes of MPI files. Both kinds in one number: AGENTS(AGENTS_EXCLUSIVE, FILES_COPIED). */
enum file_agents {
    FILES_NONE = 0,
    FILES_COPIED,     /* processes have copies and exchange their accesses in collective calls */
    FILES_SHARED,     /* every access is a request to the file's home */
    FILES_HANDED = 4, /* besides: files go to their homes from what own calls made of them, and back (handed_files.h) */
};
#define AGENTS(windows, files) ((int)(windows) | (int)(files) << 4)
#define AGENTS_FOR_WINDOWS(agents) ((agents)&3)
#define AGENTS_FOR_FILES(agents) ((agents) >> 4 & 7)
#define AGENTS_MOST 2047
#define AGENTS_BESIDES(agents) \
    ((agents) & (AGENTS_LOCKING | AGENTS_MEETING | AGENTS_ANNOUNCING | AGENTS_EXPOSING | AGENTS_NAMING | AGENTS_TAKING_TURNS))
/* Does it take any agents? */
#define AGENTS_ARE_NEEDED(agents) (((agents) & ~AGENTS_TAKING_TURNS) != AGENTS_NONE)

/* What a channel's `variant` has beside AGENTS(…): ranks forget what is left in a receive's buffer while they wait for its
 * message, but at some call sites (KEPT_SITES_MOST at most). A rank that needs what it has forgotten says so in the text of a
 * WIRE_AGENTS, and the explorer starts over with the call site among them. */
enum { VARIANT_FORGETS = 1 << 11 };
/* ... and: where blocks of memory lie depends on the message that they were allocated for (placed_blocks.h). */
enum { VARIANT_PLACES_BLOCKS = 1 << 12 };
/* How a call site is kept: what its receives will overwrite before the program goes on is forgotten; nothing is. */
enum kept_how { KEPT_WHILE_PENDING, KEPT_ALWAYS };
/* No call site: what is kept is the room in the attached buffer, which is told of in all buffered sends then, and else in none. */
#define WIRE_ROOM_SITE 1
#define WIRE_KEEPS_FORMAT "keeps %" PRIx64 " %d"
#define WIRE_KEEPS_SCAN "keeps %" SCNx64 " %d"

/* Pieces of shared windows that ranks must treat in a way of their own (shared_places.h). A rank that needs one more says so in the
 * text of a WIRE_AGENTS, as WIRE_PLACE_FORMAT has it, and the explorer starts over; all ranks begin with all of them. */
enum place_kind {
    PLACE_WATCHED = 1, /* every access of the program there is looked at */
    PLACE_ATOMIC,      /* a rank accesses it by atomic instructions */
    PLACE_POLLED,      /* a rank seems to wait for a store to it */
    PLACE_PLAIN,       /* it seemed so, but none does */
    PLACE_KINDS,
};
struct wire_place_of_window {
    uint64_t window; /* the context of its communicator; 0: all of all windows */
    uint64_t offset; /* in the segment, in bytes, and how many */
    uint64_t size;
    uint32_t segment; /* the member of the window that has it */
    uint32_t kind;    /* enum place_kind */
};
enum { WATCHED_AT_ONCE = 1 << 16 }; /* bytes: PLACE_WATCHED begin and end at multiples of this in the segment */
#define WIRE_PLACE_FORMAT "place %" PRIx64 " %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu32

/* Requests that the program knows nothing of have numbers from here on. A WIRE_CALL_WAIT_ANY of such ones is a choice of the
 * rank's own: which of several accesses to its window is done next. */
#define WIRE_HIDDEN_REQUESTS 0x80000000u

#define WIRE_AGENTS_CONTEXT 2u /* requests to agents; its members are the program's ranks */
/* Their tags. Two requests of different ranks with WIRE_READS, to an agent that receives with WIRE_CALM, commute: in both orders
 * each is answered alike and at once, and then the agent does what it would do in the other, calm as before. So do two of which is
 * known what they touch (WIRE_TOUCHES), if it is in different windows, or in different bytes, or in the same manner; and one that only
 * asks for accesses of some phases does with those of others. Where a window is locked they do if they have to do with other
 * windows. */
enum { WIRE_TO_WINDOW = 1, WIRE_TO_FILE = 2, WIRE_READS = 4 };

/* In the `agreement` of a collective: its upper half is a hash, not a number to be told. The lower half is an operator, or, of some calls
 * on files, a hash of whatever else must be alike. */
#define WIRE_AMOUNT_UNTOLD ((uint64_t)1 << 63)
/* MPI_MAX. The other predefined operators follow in the order of MPI-3.1 section 5.9.2, and then MPI_MINLOC,
 * MPI_MAXLOC, MPI_REPLACE and MPI_NO_OP. */
#define WIRE_FIRST_OPERATOR 0x58000001u
/* ... changed if MPI_IN_PLACE was given where all must give it, or none. */
#define WIRE_IN_PLACE 0x80000000u

enum wire_record_kind {
    WIRE_CONTEXT = 1,  /* struct wire_context: a communicator this rank now belongs to */
    WIRE_SOURCES,      /* struct wire_sources: this rank's neighbours in its topology */
    WIRE_OPERATION,    /* struct wire_operation */
    WIRE_CALL,         /* struct wire_call: the blocking call that ended the step; last record */
    WIRE_END,          /* struct wire_end: the rank exited or failed; last record */
    WIRE_OUTPUT,       /* struct wire_output: bytes written to a stream during the step */
    WIRE_SIGNATURE,    /* struct wire_signature: what a name in `agreement` of later operations means */
    WIRE_FILE_USE,     /* struct wire_file_use: a name in the file system that the step depends on or changes */
    WIRE_FILE_OPENING, /* struct wire_file_opening: a name that a group opens by MPI-IO */
    WIRE_FILE,         /* struct wire_file: how the rank leaves a file; before the end of a rank that exits */
    WIRE_FILES_ANEW,   /* nothing follows. From an agent: what it said of files is void, those that follow are all */
    WIRE_THREADS_CALL, /* nothing follows: a thread other than the one that called MPI_Init calls MPI. Once in a rank's life */
    WIRE_TOUCHES,      /* struct wire_touches: what a name in `agreement` of later requests to agents means */
    WIRE_LOOKED,       /* struct wire_look: the answer had it, and it made a difference */
    WIRE_MEANING,      /* struct wire_meaning: what a half of the `agreement` of later collectives means */
    WIRE_STACK,        /* struct wire_stack: where a rank that crashed or exited was; before its WIRE_END */
};

struct wire_record {
    uint32_t kind;
    uint32_t size; /* of the whole record in bytes, a multiple of 8 */
};

/* A communicator. Its number is a hash of everything that identifies it, its members included, so that equal
 * numbers mean equal members. Sent by every member when it learns of the communicator. */
struct wire_context {
    uint64_t context;
    uint32_t members;     /* followed by this many int32_t: the world rank of each, in communicator order */
    uint32_t first_group; /* intercommunicator: so many of the members are one group, the rest the other; else 0 */
};

/* Whose data `rank` takes in neighbourhood collectives on a communicator. Part of what the context's number is a hash of. */
struct wire_sources {
    uint64_t context;
    int32_t rank;     /* of this process */
    uint32_t sources; /* followed by this many int32_t: world ranks */
};

/* The rank's memory from this address to before that one. */
struct wire_span {
    uint64_t from, to;
};

/* What a rank is told of where, and at what, it looks: `looks` and `spans` of struct wire_resolution, and these. */
enum { WIRE_SPANS_MOST = 8 };
struct wire_look {
    uint32_t looks, spans;
    struct wire_span span[WIRE_SPANS_MOST];
};

/* A type signature (models/mpi/signatures.h). */
struct wire_signature {
    uint64_t name; /* hash of the runs */
    uint32_t runs; /* followed by this many struct wire_run; 1 or more */
    uint32_t zero;
};

/* What members of a collective must agree on, in words. */
enum { WIRE_MEANING_ROOM = 56 };
struct wire_meaning {
    uint64_t half; /* of the agreement, the other half being 0 */
    char text[WIRE_MEANING_ROOM];
};

struct wire_run {
    uint32_t type; /* enum basic_type */
    uint32_t zero;
    uint64_t bytes; /* not 0 */
};

/* What a request to an agent has to do with a window. */
struct wire_touches {
    uint64_t name;    /* hash of the rest; not 0 */
    uint64_t window;  /* its communicator's context */
    uint32_t touches; /* followed by this many struct wire_touch; none: with none of its memory */
    uint8_t alone;    /* 1: nothing else that has to do with the window commutes with it, as it locks the others out */
    uint8_t asks;    /* 1: it asks which accesses of some phases others make, to these bytes, or to any, and commutes with those
                         of other phases */
    uint16_t phases; /* of those it asks for; or in which its own accesses were made: a bit each */
};

/* The request reads or changes these bytes, or completes accesses that did. */
struct wire_touch {
    int64_t first, last; /* both included: offsets in the window, or addresses if it is dynamic */
    uint64_t manner;     /* those of one manner commute with each other; WIRE_TOUCH_ALONE: with none */
};
enum { WIRE_TOUCH_ALONE = 0, WIRE_TOUCH_READS = 1 };
/* Others are hashes of what is accumulated and how, but for their last bits. Who completes an accumulate changes nothing that others
 * who accumulate in the same way could notice, whatever they fetch. */
#define WIRE_TOUCH_ACCUMULATES ((uint64_t)1 << 63)
enum wire_accumulating {
    WIRE_ADDS = 0,      /* those of one manner commute */
    WIRE_IN_ORDER = 1,  /* they do not */
    WIRE_COMPLETES = 2, /* it commutes with all three */
    WIRE_ACCUMULATING = 3,
};

enum wire_operation_kind {
    WIRE_SEND = 1,
    WIRE_RECEIVE,
    WIRE_RECEIVE_MESSAGE, /* MPI_Mrecv/MPI_Imrecv: the message named by peer + claim is now being received: its
                             sender is released. The rank has had the bytes since the matched probe. `request`, if
                             there is one, is complete, and will bring them again */
    WIRE_CANCEL,          /* MPI_Cancel of `request` */
    WIRE_FREE,            /* MPI_Request_free of `request`: nobody will wait for it */
    WIRE_COLLECTIVE,      /* the rank enters a collective: with a request a nonblocking one, which completes as other
                             requests do; with WIRE_NO_REQUEST the one of the next WIRE_CALL_COLLECTIVE */
};

enum wire_send_mode { WIRE_STANDARD = 0, WIRE_BUFFERED, WIRE_SYNCHRONOUS, WIRE_READY };

/* What becomes of a message that is too long: an error of the program, or one that its error handler is told of (the rank gets
 * the whole message). */
enum wire_receive_mode {
    WIRE_FATAL_ERRORS = 0,
    WIRE_HANDLED_ERRORS,
    WIRE_CALM, /* an agent's, where no request waits for a lock, none is held that keeps others out but on the window of which
                  `agreement` names touches that are alone, if any, and each file has one content */
};

/* Which members' data a member needs before it may leave a collective. On an intercommunicator only members of the other group
 * count, but for WIRE_BOTH_GROUPS. */
enum wire_pattern {
    WIRE_ALL_TO_ALL = 1,   /* everybody needs everybody: barrier, allreduce, allgather, alltoall, communicator creation */
    WIRE_FAN_OUT,          /* non-roots need the root: bcast, scatter */
    WIRE_FAN_IN,           /* the root needs everybody: reduce, gather */
    WIRE_PREFIX,           /* member i needs members 0..i: scan */
    WIRE_PREFIX_EXCLUSIVE, /* member i needs members 0..i-1: exscan */
    WIRE_NEIGHBOURS,       /* a member needs its sources in the topology */
    WIRE_BOTH_GROUPS,      /* everybody needs everybody: communicators made from an intercommunicator */
};

#define WIRE_NO_PART (-2) /* root of a rooted collective on an intercommunicator, for those beside the root in its group */

/* Alternatives that are accesses to a window are told apart by messages of a rank to itself, whose receives have the access's
 * call, and its origin's number as tag, from this one on. */
#define WIRE_ALTERNATIVES 1000

/* One thing asked of the network, followed by `parts` of data:
 *     parts x { uint64_t size; bytes; zero padding to 8 }
 * A send has one part (its packed bytes), a receive none. A collective has either one part for every member alike or
 * one part for each member of the communicator, in communicator order (scatter's root, alltoall); on an intercommunicator
 * for each member of the other group. */
struct wire_operation {
    uint8_t kind;      /* enum wire_operation_kind */
    uint8_t mode;      /* enum wire_send_mode, wire_receive_mode or (collective) wire_pattern */
    uint16_t function; /* enum mpi_function (functions.h) */
    uint32_t request;  /* the rank's own number for the request; unique among its outstanding ones */
    uint64_t context;
    int32_t peer;      /* send: destination; receive: source or WIRE_ANY_SOURCE; rooted collective: root or WIRE_NO_PART,
                           else -1; receive-message: source */
    int32_t tag;       /* send, receive (or WIRE_ANY_TAG). collective: hash of the type signature that all members' data
                           must have; 0: not known */
    uint64_t capacity; /* receive: bytes that fit into the buffer. receive-message: the claim number. buffered send: bytes of
                           the attached buffer. collective: how many members' blocks are known to be empty, so that nobody
                           need wait for them: then the first part is no data but their numbers in ascending order
                           (uint32_t) */
    /* Request to an agent: name of its touches, 0: not known. Other send, receive, receive-message: name of the type signature.
     * Collective: hashes of what members must agree on beyond pattern, function and root: amounts of data or topologies in the
     * upper half, the operator in the lower; 0 if nothing. Without WIRE_AMOUNT_UNTOLD the upper half is a number of bytes. */
    uint64_t agreement;
    uint64_t site; /* return address of the MPI call in the program */
    uint32_t parts;
    uint32_t
        unordered; /* collective: 1: the rank comes to the same whichever member brings which part, if they are of one size */
};

enum wire_call_kind {
    WIRE_CALL_START = 1,  /* MPI_Init: the root of every rank; answered at once by WIRE_GO */
    WIRE_CALL_WAIT_ALL,   /* Wait, Waitall and the blocking sends and receives: all listed requests complete */
    WIRE_CALL_WAIT_ANY,   /* exactly one completes */
    WIRE_CALL_WAIT_SOME,  /* a non-empty set completes */
    WIRE_CALL_TEST_ALL,   /* all complete, or "not yet" */
    WIRE_CALL_TEST_ANY,   /* one completes, or "not yet" */
    WIRE_CALL_TEST_SOME,  /* a set completes, or "not yet" */
    WIRE_CALL_PROBE,      /* Probe: the envelope of a matching message */
    WIRE_CALL_IPROBE,     /* ... or "not yet" */
    WIRE_CALL_MPROBE,     /* Mprobe: the message itself, claimed: no other receive or probe sees it */
    WIRE_CALL_IMPROBE,    /* ... or "not yet" */
    WIRE_CALL_COLLECTIVE, /* leaves the collective entered by the last WIRE_COLLECTIVE of this report */
    WIRE_CALL_DETACH,     /* Buffer_detach: no message is left in the attached buffer */
};

/* The blocking call, followed by `requests` x uint32_t (request numbers; order as in the program's array, with null and
 * inactive requests left out). WAIT_*, TEST_* with no request never reach the explorer. */
struct wire_call {
    uint8_t kind;   /* enum wire_call_kind */
    uint8_t placed; /* 1: the list of requests is followed by where in the program's own list each of them is */
    uint16_t function;
    uint32_t requests;
    uint64_t context; /* probes, collective */
    int32_t peer;     /* probes: source or WIRE_ANY_SOURCE */
    /* Probes: tag or WIRE_ANY_TAG. WAIT_ALL: the rank loads from the PLACE_POLLED of this number, from 1. Collective: WIRE_OWN_COLLECTIVE,
     * or 0. Else 0. */
    int32_t tag;
    uint64_t site;
};

/* It is not the program's collective but one that is made before that, in the same call. */
enum { WIRE_OWN_COLLECTIVE = 1 };

enum wire_end_kind {
    WIRE_EXIT = 1,  /* exit, _exit or return from main; `code` is the exit status */
    WIRE_CRASH,     /* killed by signal `code`, abort() and failed assertions included */
    WIRE_ABORT,     /* MPI_Abort(code) */
    WIRE_VIOLATION, /* broke an MPI rule: `class_name` and text say which */
    WIRE_REFUSED,   /* used something that is not supported: text says what and what to do instead */
    WIRE_RUNAWAY,   /* did not return within the step's time limit (set by the explorer) */
    WIRE_LOST,      /* the executor died under it: killed, out of memory (set by the explorer) */
    WIRE_AGENTS,    /* needs agents for passive target synchronisation, which are not there: the explorer starts over with
                       them; `code`: enum agents; text: nothing or a place */
    WIRE_UNSTABLE,  /* executed twice, the step did two different things (set by the explorer) */
};

/* How the text of a refusal ends that would not be one if processes were kept whole. */
#define WIRE_KEEP_PROCESSES ", which only --checkpoint criu can keep"

/* Whose access it was is not known; a rank that has to say so asks for AGENTS_NAMING. */
#define WIRE_RANK_UNTOLD (-1)
/* Of an access to a window whose bytes are not what they are: whether they may be loaded is known with AGENTS_MEETING. */
#define WIRE_RANK_DOUBTED (-2)
/* A call that has a part in a violation, beside the one that noticed it. */
struct wire_place {
    uint64_t site; /* 0: where the rank entered the collective of `function` that the violation is about */
    int32_t rank;
    uint16_t function; /* 0: none */
    uint16_t zero;
};

struct wire_end {
    uint8_t kind;      /* enum wire_end_kind */
    uint8_t finalized; /* 1: MPI_Finalize had been called */
    uint16_t function;
    int32_t code;
    uint64_t site;
    uint32_t leaked_requests; /* exit after MPI_Finalize: requests neither completed nor freed at MPI_Finalize */
    uint32_t text_size;       /* bytes of text that follow, no terminator */
    uint64_t leak_site;       /* where the first leaked request was made */
    char class_name[24];      /* violation: a finding class such as "truncation"; zero padded */
    uint32_t leaked_handles;  /* exit after MPI_Finalize: communicators, datatypes… that were made and not freed */
    uint16_t handle_function; /* what made the first of them, and where */
    uint16_t leak_function;   /* what made the first leaked request */
    uint64_t handle_site;
    char handle_kind[24];       /* what it is: "a datatype"; zero padded */
    struct wire_place place[2]; /* violation */
};

enum wire_stream {
    WIRE_STDOUT = 1,
    WIRE_STDERR,
    WIRE_OBSERVATIONS, /* explore_observe: lines "name = value" */
    WIRE_STREAMS_END
};

struct wire_output {
    uint32_t stream; /* enum wire_stream */
    uint32_t size;   /* bytes that follow */
};

enum wire_use {
    WIRE_USE_READ = 1,      /* whether there is something of that name, and what, was looked at */
    WIRE_USE_WRITTEN = 2,   /* it was made, changed, removed or renamed */
    WIRE_USE_LISTED = 4,    /* the directory was listed */
    WIRE_USE_ENTRY = 8,     /* a name was made or removed in the directory */
    WIRE_USE_DELETED = 16,  /* MPI_File_delete was called with it */
    WIRE_USE_BY_AGENT = 32, /* by the home of an MPI file, for whichever rank */
};

/* Paths are absolute and free of links, "." and "..". */
struct wire_file_use {
    uint32_t use;  /* enum wire_use, several at once */
    uint32_t size; /* bytes of the path that follows, no terminator */
    uint64_t turn; /* in which the rank uses it (file_turns.h); 0: none are taken */
};

/* MPI_File_open of a group: its ranks in MPI_COMM_WORLD follow, int32_t, and the path. */
struct wire_file_opening {
    uint32_t members;
    uint32_t size; /* bytes of the path, no terminator */
};

enum wire_file_state { WIRE_FILE_CONTENT = 1, WIRE_FILE_REMOVED, WIRE_FILE_DIRECTORY };

/* A file that is not as the disk has it, followed by its path and its content. Sorted by path. */
struct wire_file {
    uint32_t state; /* enum wire_file_state */
    uint32_t path_size;
    uint64_t size;
};

/* Registers, by their DWARF numbers (rax rdx rcx rbx rsi rdi rbp rsp r8 … r15 rip), and the top of the stack. */
enum { WIRE_REGISTERS = 17, WIRE_STACK_MOST = 1 << 16 };
struct wire_stack {
    uint64_t value[WIRE_REGISTERS];
    uint64_t address; /* of the bytes that follow; 0: the stack pointer points nowhere */
    uint64_t size;    /* bytes that follow */
};

enum wire_answer_kind {
    WIRE_GO = 1,    /* start */
    WIRE_COMPLETED, /* the listed requests completed (wait, test) */
    WIRE_NOT_YET,   /* test or probe: flag = 0 */
    WIRE_FOUND,     /* probe: one completion with the envelope; matched probe: with the message and its claim */
    WIRE_LEFT,      /* collective: one completion for each member whose data this rank is entitled to */
};

/* The answer to a blocking call, followed by `spans` x struct wire_span, and by `completions` x struct wire_completion, in the order
 * of the call's list (collective: in communicator order). Each completion is followed by its data, zero padded to 8. The completion of a
 * nonblocking collective has no data itself: the next `parts` completions have it, as WIRE_LEFT's do. */
struct wire_resolution {
    uint8_t kind;  /* enum wire_answer_kind */
    uint8_t looks; /* not 0: the rank looks at its windows (window_unseen.h) when it has put that off `looks - 1` times */
    uint8_t spans; /* ... only at these bytes; 0: at all */
    uint8_t zero8;
    uint32_t completions;
};

struct wire_completion {
    uint32_t index; /* wait, test: position in the call's request list; collective and parts: member number; of an
                        intercommunicator (but for WIRE_BOTH_GROUPS) within its group */
    int32_t source; /* receive, probe: world rank of the sender, else -1 */
    int32_t tag;    /* receive, probe */
    uint8_t cancelled;
    uint8_t synchronous; /* receive: its sender may know that it was posted */
    uint16_t parts;      /* nonblocking collective: how many of the completions that follow are its parts */
    uint64_t claim;      /* matched probe: number to give back in WIRE_RECEIVE_MESSAGE. Plain probe: hash of the message's data
                             (placed_blocks.h), of which nothing may show but that */
    uint64_t size;       /* message size in bytes (envelope) */
    uint64_t data;       /* bytes that follow: size, or 0 for sends and plain probes */
};

_Static_assert(sizeof(struct wire_place_of_window) == 32, "wire layout");
_Static_assert(sizeof(struct wire_record) == 8, "wire layout");
_Static_assert(sizeof(struct wire_context) == 16, "wire layout");
_Static_assert(sizeof(struct wire_signature) == 16 && sizeof(struct wire_run) == 16, "wire layout");
_Static_assert(sizeof(struct wire_sources) == 16, "wire layout");
_Static_assert(sizeof(struct wire_span) == 16 && sizeof(struct wire_look) == 136, "wire layout");
_Static_assert(sizeof(struct wire_touches) == 24 && sizeof(struct wire_touch) == 24, "wire layout");
_Static_assert(sizeof(struct wire_operation) == 56, "wire layout");
_Static_assert(sizeof(struct wire_call) == 32, "wire layout");
_Static_assert(sizeof(struct wire_place) == 16, "wire layout");
_Static_assert(sizeof(struct wire_end) == 128, "wire layout");
_Static_assert(sizeof(struct wire_output) == 8, "wire layout");
_Static_assert(sizeof(struct wire_file_use) == 16, "wire layout");
_Static_assert(sizeof(struct wire_file_opening) == 8, "wire layout");
_Static_assert(sizeof(struct wire_file) == 16, "wire layout");
_Static_assert(sizeof(struct wire_stack) == 152, "wire layout");
_Static_assert(sizeof(struct wire_resolution) == 8, "wire layout");
_Static_assert(sizeof(struct wire_completion) == 40, "wire layout");

#endif
