/* Inside the MPI model: components and what its sources share.
 *
 * A component is immutable and interned: its number names its content. To change one, its outstanding operations are copied
 * to the model's scratch list (draft_open), edited and interned again (draft_close). */
#ifndef MODELS_MPI_MODEL_PARTS_H
#define MODELS_MPI_MODEL_PARTS_H

#include "models/mpi/model.h"
#include "models/mpi/signatures.h"
#include "models/name_table.h"

#include <stdatomic.h>
#include <stddef.h>

enum pending_flag {
    PENDING_CLAIMED = 1,   /* send: taken out of its channel by a matched probe; `capacity` is the claim number */
    PENDING_CANCEL = 2,    /* MPI_Cancel was called: unmatched, it may be withdrawn */
    PENDING_CANCELLED = 4, /* it was withdrawn */
    PENDING_FREED = 8,     /* nobody waits for it */
    PENDING_UNREADY = 16,  /* ready send: no receive was posted for it when it was issued */
    PENDING_OVERFLOW = 32, /* buffered send: did not fit into the attached buffer */
    PENDING_SENT_OFF = 64, /* buffered send: on its way, no longer in the attached buffer */
    PENDING_PASSED = 128,  /* complete: the Waitsome or Testsome that the rank is in does not report it */
};

/* An operation that is not over: sends until matched and reported, receives until reported, collectives until every member
 * has left: been let out of the call, or been told that the request is complete. No padding: components are named by a hash of
 * their bytes. */
struct pending {
    uint8_t kind; /* WIRE_SEND, WIRE_RECEIVE or WIRE_COLLECTIVE; between step and settle also WIRE_RECEIVE_MESSAGE */
    uint8_t mode;
    uint8_t status; /* enum operation_status. Collective: BUFFERED if its request completed before all had entered,
                       COMPLETE if after, or when left */
    uint8_t flags;
    uint16_t function;
    uint8_t synchronous; /* matched receive: the message was sent so */
    uint8_t unordered;   /* collective: as in its operation */
    uint32_t request;    /* WIRE_NO_REQUEST: nobody will ask */
    uint32_t context;
    int32_t peer;
    int32_t tag; /* collective: first entry of its list of members whose blocks are empty */
    uint32_t site;
    uint32_t payload; /* send: its payload; matched receive: the message's; collective: first part */
    uint32_t parts;
    int32_t source;     /* matched receive: sender and tag */
    int32_t source_tag; /* collective: hash of the type signature, 0: not known */
    uint32_t touches; /* send: what it touches at an agent, 0: not known. WIRE_CALM: the window that is locked there, 0: none */
    uint64_t capacity; /* collective: length of that list */
    uint64_t agreement;
};
_Static_assert(sizeof(struct pending) == 64 && offsetof(struct pending, capacity) == offsetof(struct pending, touches) + 4,
               "no padding");

/* May what becomes of a component depend on more than its own content and a message? See remembered.c. */
enum special {
    NOT_SPECIAL,
    WAITS_FOR_MEMBERS, /* only in that it is in a collective which others must enter, too */
    SPECIAL,
};

struct component {
    uint32_t local;
    bool ended;
    uint8_t special;   /* enum special */
    bool awaits_named; /* an open receive names its source */
    uint8_t next_deliveries;
    uint32_t count;
    _Atomic uint32_t next; /* the component after its next step, if that is determined and remembered; else NOTHING_NEXT */
    const struct step_result *result; /* of the step that led here: call or end; NULL for initial ones */
    uint32_t unissued;                /* of its operations the last so many are still to come: see model_issue */
    struct pending pending[];
};

#define NOTHING_NEXT UINT32_MAX

struct context {
    uint64_t name;
    uint32_t members;
    int32_t *member;         /* world rank of each */
    int32_t *position;       /* of each world rank, -1: not a member */
    uint32_t first_group;    /* members of the first group; 0: no intercommunicator */
    struct rank_set *source; /* of each member, as world ranks; NULL: no topology */
};

/* The component being edited. */
struct draft {
    struct pending *pending;
    uint32_t count, room;
    uint32_t unissued;
};

struct mpi_model {
    unsigned ranks; /* agents included */
    unsigned agents;
    enum buffering buffering;
    uint64_t (*payload_size)(void *context, uint32_t payload);
    void *payload_context;

    struct expectations expected, met; /* what is expected, and all that was met */
    struct rank_set late;              /* to whom somebody is expected to hurry */
    bool hurried;                      /* a send was met that is right only in time */

    /* Arrays that other workers read while one that holds the lock adds to them: model_room_shared makes them grow. */
    struct context *_Atomic context;
    uint32_t contexts, context_room;
    struct name_table context_names;

    struct touches **_Atomic touches; /* of number i + 1, as those after it; read and added to like components */
    uint32_t touched, touches_room;
    uint64_t touches_bytes;
    struct name_table touches_names;

    struct signature *signature; /* those that have more than one basic type */
    uint32_t signatures, signature_room;
    struct name_table signature_names;

    char (*meaning)[WIRE_MEANING_ROOM]; /* of halves of agreements of collectives */
    uint32_t meanings, meaning_room;
    struct name_table meaning_names;

    struct component **_Atomic component;
    uint32_t components, component_room;
    uint64_t component_bytes;
    struct name_table component_names;

    uint32_t *_Atomic part; /* interned lists of collective parts, one after the other */
    uint32_t parts, part_room;
    struct name_table part_names;
    void **retired; /* earlier ones of these arrays, which somebody may still be reading */
    uint32_t retireds, retired_room;

    struct remembered *_Atomic remembered; /* moves: remembered.c */
    struct acts *acts;                     /* what ranks are known to do: acts.c */
    struct futures *futures;               /* and to send yet, from each local state: futures.c */

    struct draft draft;
    struct settling *settling;  /* settling.c */
    struct resolution **answer; /* per rank, reused */
    uint32_t *answer_room;
};

/* saved_model.c. False: the file is too short. */
void model_put(FILE *out, const void *bytes, size_t size);
bool model_get(FILE *in, void *bytes, size_t size);

/* components.c */
void *model_zeroed(size_t bytes);
void *model_room(void *array, uint32_t *room, uint32_t used, size_t size);
void *model_resize(void *block, size_t bytes);
/* As model_room; the array before is kept until the model goes, as others may be reading it. */
void *model_room_shared(struct mpi_model *model, void *array, uint32_t *room, uint32_t used, size_t size);
static inline const struct component *component_at(const struct mpi_model *model, uint32_t number) {
    return atomic_load_explicit(&model->component, memory_order_acquire)[number];
}
void draft_begin(struct mpi_model *model); /* without operations */
void draft_open(struct mpi_model *model, uint32_t component);
void draft_copy(struct draft *draft, const struct pending *pending, uint32_t count, uint32_t unissued);
void draft_remove(struct draft *draft, uint32_t index);
/* Removes those whose kind is OPERATION_GONE. */
enum { OPERATION_GONE = UINT8_MAX };
void draft_close_gaps(struct draft *draft);
struct pending *draft_add(struct draft *draft);
/* The number of the component with the draft's operations, in `local` after `result`. */
uint32_t draft_close(struct mpi_model *model, uint32_t local, const struct step_result *result);
/* Same rank, same call, other operations. */
uint32_t draft_close_same(struct mpi_model *model, uint32_t component);
uint32_t parts_intern(struct mpi_model *model, const uint32_t *part, uint32_t count);

/* The pending call of a component; NULL if its rank has ended. Initial components are at WIRE_CALL_START. */
const struct call *component_call(const struct component *component); /* not all issued: as if it had not begun */
/* Index of the operation with this request number, or UINT32_MAX. */
uint32_t pending_find(const struct component *component, uint32_t request);
/* The same, for many in turn: it is looked for from `*from` on, at first 0, then at what is before; the next is mostly behind
 * it. */
uint32_t pending_find_from(const struct component *component, uint32_t request, uint32_t *from);
uint32_t request_find_from(const struct pending *pending, uint32_t count, uint32_t request, uint32_t *from);
static inline bool pending_complete(const struct pending *pending) {
    return pending->status == OPERATION_COMPLETE || pending->status == OPERATION_BUFFERED;
}
/* May its rank, which is at `call`, still withdraw it? */
bool pending_cancellable(const struct mpi_model *model, unsigned rank, const struct pending *pending, const struct call *call);
/* Can it still be matched? */
static inline bool pending_open(const struct pending *pending) {
    return pending->status != OPERATION_COMPLETE && !(pending->flags & (PENDING_CLAIMED | PENDING_CANCELLED));
}

/* model.c: mpi_model_step, without any conclusions about what the rank may do in orderings of the program. */
void model_step_apart(struct mpi_model *model, uint32_t *state, unsigned rank, const struct resolution *resolution,
                      const struct step_result *result);

/* model.c: the signature with this name. */
struct signature signature_named(const struct mpi_model *model, uint64_t name);
/* NULL: it is not known. */
const char *meaning_of(const struct mpi_model *model, uint64_t half);

/* touches.c: what is known of a request to an agent. */
struct request {
    int32_t tag;
    uint32_t touches; /* number from mpi_model_touches; 0: not known */
};
/* Does a request commute with any at all? */
static inline bool request_may_commute(struct request request) {
    return request.tag >= 0 && (request.touches || request.tag & WIRE_READS);
}
/* Is an agent calm that receives the request so, as far as that goes? */
bool request_meets_calm(const struct mpi_model *model, const struct pending *receive, struct request request);
/* Do two of different ranks commute at a calm agent? If in doubt no. */
bool requests_commute(const struct mpi_model *model, struct request one, struct request other);
uint64_t touches_memory(const struct mpi_model *model);
void touches_free(struct mpi_model *model);

/* channel.c: what a receive or probe accepts. */
struct envelope {
    uint32_t context;
    int32_t source;  /* or WIRE_ANY_SOURCE */
    int32_t tag;     /* or WIRE_ANY_TAG */
    uint32_t before; /* only receives of this rank posted before operation `before` come first */
};
struct envelope receive_envelope(const struct pending *pending, uint32_t receive); /* of operation `receive` of a rank's */
struct envelope probe_envelope(const struct component *component, const struct call *call);
bool envelope_accepts(const struct envelope *envelope, unsigned source, const struct pending *send);
/* Is it a message for that rank, which nobody has received? Its bytes. */
bool channel_is_message(const struct pending *pending, unsigned to);
uint64_t channel_message_size(const struct mpi_model *model, const struct pending *message);
/* The first message from `source` to `rank` that the envelope accepts: index into the source's operations or UINT32_MAX. */
uint32_t channel_first(const struct mpi_model *model, const uint32_t *state, unsigned rank, unsigned source,
                       const struct envelope *envelope);
/* The same, if no receive posted earlier at `rank` takes that message first. */
uint32_t channel_match(const struct mpi_model *model, const uint32_t *state, unsigned rank, unsigned source,
                       const struct envelope *envelope);
/* Matches a message with a receive. False: a rule is broken, `violation` filled in. */
bool channel_deliver(struct mpi_model *model, uint32_t *state, unsigned rank, uint32_t receive, unsigned source, uint32_t send,
                     struct violation *violation);
/* Does their match break one? */
bool channel_breaks_rule(const struct mpi_model *model, unsigned rank, const struct pending *receive, unsigned source,
                         const struct pending *send, struct violation *violation);
/* What becomes of the two when the message is received; false: nothing is left, as nobody will ask. */
bool channel_end_send(struct pending *pending);
bool channel_end_receive(struct pending *pending, unsigned source, const struct pending *message);
/* The messages that the rank has claimed by matched probes, and receives now. */
bool channel_settle_claimed(struct mpi_model *model, uint32_t *state, unsigned rank, struct violation *violation);

/* settling.c: all determined matches at one rank, up to the first that breaks a rule. */
bool channel_settle(struct mpi_model *model, uint32_t *state, unsigned rank, struct violation *violation);
/* At all ranks, if none breaks a rule and they are so many that it does not pay to remember them one by one. Else nothing is
 * done, and the answer is false. */
bool channel_settle_all(struct mpi_model *model, uint32_t *state);
/* Takes that back. */
void channel_unsettle_all(const struct mpi_model *model, uint32_t *state);
void settling_free(struct settling *settling);

/* collectives.c: `record` is an index into the rank's operations. */
/* Of the parts that somebody brings for the members, so many from `first` on in the list, that for the member with this number: all
 * have the same if there is but one. */
static inline uint32_t collective_part_for(const uint32_t *list, uint32_t first, uint32_t parts, uint32_t number) {
    if (parts == 1)
        return list[first];
    return parts > number ? list[first + number] : NO_PAYLOAD;
}
/* The collective in which the rank is blocked. */
uint32_t collective_current(const struct component *component);
/* Has everybody entered whose data the rank needs? */
bool collective_has_data(const struct mpi_model *model, const uint32_t *state, unsigned rank, uint32_t record);
bool collective_all_entered(const struct mpi_model *model, const uint32_t *state, unsigned rank, uint32_t record);
/* The communicator all of whose members must enter the collective in which the rank is before it can leave; UINT32_MAX: it is in
 * none, or some need not. */
uint32_t collective_gate(const struct mpi_model *model, const uint32_t *state, unsigned rank);
/* Adds the members that have not entered and still may; `assumed`: as far as they are assumed to. */
void collective_add_missing(const struct mpi_model *model, const uint32_t *state, unsigned rank, uint32_t record,
                            struct rank_set *set, bool assumed);
/* Appends a completion for each member whose data the rank is entitled to; returns how many. */
uint32_t collective_add_parts(struct mpi_model *model, const uint32_t *state, unsigned rank, uint32_t record);
const struct resolution *collective_answer(struct mpi_model *model, const uint32_t *state, unsigned rank);
/* Nobody waits for the rank in this collective any more. */
void collective_leave(struct pending *record);
/* Removes the rank's collectives that all members have left, and completes requests that are determined to be complete.
 * False: the rank does not agree with another on one of them. */
/* Do those who have entered agree with the rank? False: `violation` filled in. */
bool collective_agrees(const struct mpi_model *model, const uint32_t *state, unsigned rank, uint32_t record,
                       struct violation *violation);
bool collective_settle(struct mpi_model *model, uint32_t *state, unsigned rank, struct violation *violation);
/* Is the collective in which the rank is blocked right so far, with nothing that follows from that, as some have not entered? If in
 * doubt no. */
bool collective_waits_on(const struct mpi_model *model, const uint32_t *state, unsigned rank);

/* expectations.c. A send was met that is right only in time. */
void expectations_note_hurry(struct mpi_model *model, unsigned from, const struct operation *send);
/* Is `from`, anybody if it is negative, expected to make one to `to`? */
bool model_may_hurry(const struct mpi_model *model, int32_t from, unsigned to);
/* MPI_Cancel was called for it; NULL: for something that is over. */
void expectations_note_cancelling(struct mpi_model *model, unsigned rank, const struct pending *pending);
/* Is the rank expected to call it? */
bool model_may_cancel(const struct mpi_model *model, unsigned rank, const struct pending *pending);
/* May it be a transition that the rank goes on? Then it does so in the middle of a step too, where a receive is posted after
 * others have heard of it. */
bool model_may_be_late(const struct mpi_model *model, unsigned rank);

/* model.c */
/* As mpi_model_ready, of any rank; is there such an answer? */
const struct resolution *model_determined(struct mpi_model *model, const uint32_t *state, unsigned rank);
bool model_is_determined(const struct mpi_model *model, const uint32_t *state, unsigned rank);
/* Issues more of what the rank's step did: up to the next such receive. */
void model_issue(struct mpi_model *model, uint32_t *state, unsigned rank);

/* strict_sends.c: sends that are right only at the right time. */
/* Marks the send just added to the draft of `rank` if it was issued too early, or has no room. `state` is the others'. */
void strict_check(struct mpi_model *model, const uint32_t *state, unsigned rank, const struct operation *operation);
/* False: a send is marked, `violation` filled in. */
bool strict_settle(const struct mpi_model *model, const uint32_t *state, struct violation *violation);
/* Is it a message in the attached buffer? */
bool strict_in_buffer(const struct pending *pending);
/* Is a send right at some times only? */
bool strict_hurries(const struct operation *operation);
/* Would a message of `source` to `to` find a receive posted for it, after `number` - 1 others to it? If in doubt no. One that may
 * match the receive already does so in a transition of `to`. */
bool strict_is_in_time(const struct mpi_model *model, const uint32_t *state, unsigned source, unsigned to, uint32_t context,
                       int32_t tag, uint32_t number);
/* Bytes that a message takes there. */
uint64_t strict_room_taken(const struct mpi_model *model, const struct pending *pending);
bool strict_buffer_is_empty(const struct component *component);
/* The buffer is detached: what was in it is on its way. */
void strict_empty_buffer(struct draft *draft);

/* calls.c */
struct resolution *answer_begin(struct mpi_model *model, unsigned rank, enum wire_answer_kind kind);
struct completion *answer_add(struct mpi_model *model, unsigned rank);
const struct resolution *call_not_yet(struct mpi_model *model, unsigned rank);
/* Which of a call's complete requests are reported, counted in the order of its list: all, one, or a set of bits. */
struct choice {
    enum choice_kind { CHOICE_ALL, CHOICE_ONE, CHOICE_SET, CHOICE_REST } kind; /* rest: all that were not passed over */
    uint32_t which;
};
const struct resolution *call_completed(struct mpi_model *model, const uint32_t *state, unsigned rank, struct choice choice);
const struct resolution *call_found(struct mpi_model *model, const uint32_t *state, unsigned rank, unsigned source);
uint32_t call_complete_count(const struct component *component, const struct call *call);
/* Is the request among those that the call waits for, or asks about? NULL: no. */
bool call_lists(const struct call *call, uint32_t request);
bool call_claims(const struct call *call); /* a matched probe */

/* remembered.c: called with the lock held. */
/* A match that broke no rule: what became of the receiver's and the sender's component. */
void remember_match(struct mpi_model *model, uint32_t receiver, uint32_t receive, uint32_t sender, uint32_t send,
                    uint32_t receiver_after, uint32_t sender_after);
/* All determined matches of the one's receives with the other's messages. */
void remember_settled(struct mpi_model *model, uint32_t receiver, uint32_t sender, uint32_t receiver_after,
                      uint32_t sender_after);
/* A transition that changes its owner's component alone, without an answer. */
void remember_change(struct mpi_model *model, uint32_t component, const struct transition *transition, uint32_t after);
/* Sets `special` and `awaits_named`. */
void component_classify(const struct mpi_model *model, struct component *component);
uint64_t remembered_memory(const struct mpi_model *model);
void remembered_forget(struct mpi_model *model); /* while nobody reads it */

/* acts.c: with the lock held, notes what the step's operations and its call make the rank do. */
void acts_note(struct mpi_model *model, unsigned rank, const struct step_result *result);
/* Is the rank assumed ever to send to `to` something with this envelope, to ask for a message of `from` on the context with the
 * tag, to enter a collective on the context? */
bool acts_may_send(const struct mpi_model *model, unsigned rank, unsigned to, uint32_t context, int32_t tag);
/* ... to send it something that is right only in time? */
bool acts_may_hurry(const struct mpi_model *model, unsigned rank, unsigned to);
bool acts_may_receive(const struct mpi_model *model, unsigned rank, unsigned from, uint32_t context, int32_t tag);
bool acts_may_enter(const struct mpi_model *model, unsigned rank, uint32_t context);
struct acts *acts_create(unsigned ranks);
void acts_add_ranks(struct acts *acts, unsigned more);
void acts_destroy(struct acts *acts);
/* As mpi_model_save and mpi_model_load. */
void acts_save(const struct acts *acts, FILE *out);
bool acts_load(struct acts *acts, FILE *in);

/* transitions.c */
enum transition_kind {
    TRANSITION_MATCH,     /* a: receive, b: send */
    TRANSITION_CANCELLED, /* a: operation withdrawn */
    TRANSITION_BUFFER,    /* a: send */
    TRANSITION_EARLY,     /* a: nonblocking collective that completes before all have entered */
    TRANSITION_LEAVE,     /* the same for the blocking one */
    TRANSITION_CHOOSE,    /* a, b: struct choice */
    TRANSITION_PROBED,    /* partner: whose message */
    TRANSITION_PASS,      /* a: a complete request that the call does not report */
    TRANSITION_MISS,
    TRANSITION_GO, /* a rank that may be late goes on, as it could have done before */
};

#endif
