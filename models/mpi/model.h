/* The MPI matching model: operations in, enabled transitions out (MPI-3.1 chapters 3 and 5). Pure: it never touches a
 * program. A global state is an array of component numbers, one a rank; a component is the rank's local state number
 * with its outstanding operations and their status, interned. Transition functions rewrite the array in place.
 *
 * Memory: everything that a function returns a pointer to belongs to the model and lives as long as it.
 */
#ifndef MODELS_MPI_MODEL_H
#define MODELS_MPI_MODEL_H

#include "models/mpi/protocol.h"
#include "models/transition.h"

#include <stddef.h>
#include <stdio.h>

#define NO_PAYLOAD UINT32_MAX

enum buffering {
    BUFFERING_ALL,      /* each standard send, and each early departure from a collective, decides for itself */
    BUFFERING_NONE,     /* no standard send completes before it is matched; collectives synchronise */
    BUFFERING_INFINITE, /* every standard send completes at once; collectives are left as early as the standard allows */
};

/* One operation, as wire_operation with data replaced by interned numbers. */
struct operation {
    uint8_t kind; /* enum wire_operation_kind */
    uint8_t mode;
    uint16_t function;
    uint32_t request;
    uint32_t context; /* number from model_context */
    int32_t peer;
    int32_t tag;
    uint32_t site; /* number given by the caller; opaque here */
    uint64_t capacity;
    uint64_t agreement;
    uint32_t payload; /* send: its payload. collective: first of `parts` consecutive entries of the step's part list */
    uint32_t parts;
    uint32_t empty; /* collective: first of `empties` entries of the part list: the members whose blocks for this rank are
                          known to be empty, in ascending order */
    uint32_t empties;
    uint32_t touches; /* send, to an agent: number from mpi_model_touches; 0: not known */
    bool unordered;   /* collective: the rank comes to the same whichever member brings which part, if they are of one size */
};

/* The blocking call that ended a step. */
struct call {
    uint8_t kind; /* enum wire_call_kind */
    uint8_t zero;
    uint16_t function;
    uint32_t requests;        /* length of `request` */
    const uint32_t *request;  /* request numbers */
    const uint32_t *position; /* where each of them is in the program's list; NULL: one behind the other */
    uint32_t context;
    int32_t peer;
    int32_t tag;
    uint32_t site;
};

static inline bool call_is_probe(const struct call *call) {
    return call->kind >= WIRE_CALL_PROBE && call->kind <= WIRE_CALL_IMPROBE;
}

/* What running a rank from one local state with one resolution did. Immutable; owned by whoever provides steps and
 * kept as long as the model. */
struct step_result {
    uint32_t local;  /* the local state reached (number given by the caller; opaque here) */
    uint32_t number; /* of the result itself, likewise; only mpi_model_save asks for it */
    uint32_t operations;
    const struct operation *operation;
    const uint32_t *part; /* payload numbers of the collective operations' parts */
    bool ended;           /* the rank exited or failed: `end` holds; else `call` holds */
    struct call call;
    struct wire_end end;
    const char *end_text; /* end.text_size bytes, terminated */
};

/* Did the rank end otherwise than it should? */
static inline bool step_ended_badly(const struct step_result *result) {
    return result->ended && (result->end.kind != WIRE_EXIT || result->end.code != 0 || !result->end.finalized);
}

/* The answer to a blocking call. */
struct completion {
    uint32_t index;
    int32_t source;
    int32_t tag;
    uint8_t cancelled;
    uint8_t with_data;   /* 1: the payload's bytes go to the rank, not only its size */
    uint8_t synchronous; /* of a message that was sent so */
    uint8_t unordered;   /* a part of an unordered collective */
    uint32_t payload;    /* NO_PAYLOAD: size 0, no data */
    uint32_t parts;      /* nonblocking collective: as many of the completions that follow are its parts */
    uint64_t claim;
};

struct resolution {
    uint8_t kind; /* enum wire_answer_kind */
    uint8_t zero[3];
    uint32_t completions;
    struct completion completion[]; /* free of padding garbage: resolutions are named by a hash of their bytes */
};

/* In bytes. */
static inline size_t resolution_size(const struct resolution *resolution) {
    return sizeof *resolution + resolution->completions * sizeof resolution->completion[0];
}

/* The answer that the call which ended a step will get, unless it never gets any, if that is known without the other ranks: the
 * standard sends that it waits for, of the same step, are over. `answer` has room for EXPECTED_ANSWER_BYTES. False: it is not. */
enum { EXPECTED_SENDS = 8 };
enum { EXPECTED_ANSWER_BYTES = sizeof(struct resolution) + EXPECTED_SENDS * sizeof(struct completion) };
bool mpi_model_expects_answer(const struct step_result *result, struct resolution *answer);

/* An error that the model itself sees while matching. */
struct violation {
    const char *class_name; /* "truncation", "type-mismatch", "collective-mismatch" */
    char message[256];
    uint16_t rank, partner; /* where the two sides are */
    uint32_t site, partner_site;
    uint16_t function, partner_function; /* enum mpi_function of the two calls */
};

struct mpi_model;

/* A model of `ranks` processes. `payload_size(context, payload)` tells a payload's bytes (for truncation).
 * Never fails: running out of memory ends the process. */
struct mpi_model *mpi_model_create(unsigned ranks, enum buffering buffering,
                                   uint64_t (*payload_size)(void *context, uint32_t payload), void *context);
/* From now on states have `agents` more ranks behind the others, which belong to no communicator made before. Once only. */
void mpi_model_add_agents(struct mpi_model *model, unsigned agents);
void mpi_model_destroy(struct mpi_model *model);
/* Bytes held. */
uint64_t mpi_model_memory(const struct mpi_model *model);

/* The number of the communicator `context` with these members (world ranks, communicator order). Calling again with the
 * same context returns the same number. The world communicator is always number 0. */
uint32_t mpi_model_context(struct mpi_model *model, uint64_t context, const int32_t *member, uint32_t members);
/* More about it, as its members tell: it is an intercommunicator whose first group has so many members; a member's sources in
 * its topology. Telling the same again changes nothing. */
void mpi_model_groups(struct mpi_model *model, uint32_t context, uint32_t first_group);
void mpi_model_sources(struct mpi_model *model, uint32_t context, int32_t rank, const int32_t *source, uint32_t sources);

/* What a half of what members of a collective must agree on means (struct wire_meaning). */
void mpi_model_meaning(struct mpi_model *model, uint64_t half, const char *text);

/* What the name of a type signature means; the runs are copied. */
void mpi_model_signature(struct mpi_model *model, uint64_t name, const struct wire_run *run, uint32_t runs);

/* The number, not 0, of what requests to agents touch (struct wire_touches); they are copied. The same by the name, 0 if there
 * are none of that name. */
uint32_t mpi_model_touches(struct mpi_model *model, const struct wire_touches *touches, const struct wire_touch *touch);
uint32_t mpi_model_touches_named(const struct mpi_model *model, uint64_t name);

/* What few programs do, and what is a transition depends on. The model assumes that nothing of it is done until told; if a step
 * does it all the same, the model is `surprised`, and what was explored so far proves nothing. */
enum { HURRIES_MOST = 256, CANCELS_MOST = 256 };
struct expectations {
    /* Whose operations MPI_Cancel is called for: of which kind, with which tag. One that may yet be cancelled must not be matched
     * just because its match is determined, as the cancellation may win. More than CANCELS_MOST: any. */
    uint32_t cancels;
    struct cancelling {
        uint16_t rank;
        uint16_t kind; /* WIRE_SEND, WIRE_RECEIVE */
        int32_t tag;
    } cancelling[CANCELS_MOST];
    /* Who makes ready sends or buffered sends, and to whom. Whether such a send is right depends on how far its receiver has
     * come, so it is a transition that this one goes on, even if its answer is determined, and of ready sends that the sender
     * does. More than HURRIES_MOST: everybody makes all to everybody. */
    uint32_t hurries;
    struct hurry {
        uint16_t from, to;
        uint16_t mode; /* WIRE_READY, WIRE_BUFFERED */
    } hurry[HURRIES_MOST];
};
void mpi_model_expect(struct mpi_model *model, const struct expectations *more);
const struct expectations *mpi_model_expectations(const struct mpi_model *model);
bool mpi_model_surprised(const struct mpi_model *model);
/* All that it was surprised by is expected from now on. */
void mpi_model_expect_surprises(struct mpi_model *model);

/* The component of a rank that has just begun: no operation outstanding, at its WIRE_CALL_START in `local`. */
uint32_t mpi_model_initial(struct mpi_model *model, uint32_t local);

/* Performs every match that is already determined (named receive, first message in its channel, no earlier wildcard that
 * could take it). These moves commute with all others and are never
 * transitions. Returns false and fills `violation` if a match broke a rule; the state then shows that match done. */
bool mpi_model_settle(struct mpi_model *model, uint32_t *state, struct violation *violation);

/* If the pending call of `rank` has exactly one possible answer now and for ever, that answer, else NULL. Only for settled
 * states. (WAIT_ALL with all requests complete; a collective whose data is there; not WAIT_ANY with other requests open,
 * not tests, as "not yet" is always possible; no rank that may be late.) Valid until the next call with the same rank. */
const struct resolution *mpi_model_ready(struct mpi_model *model, const uint32_t *state, unsigned rank);

/* The rank got `resolution` and its step did `result`: completed requests go, new operations and the new call come. */
void mpi_model_step(struct mpi_model *model, uint32_t *state, unsigned rank, const struct resolution *resolution,
                    const struct step_result *result);

/* The local state number of a component, whether its rank has ended, and the result of the step it came from (its call or
 * end; NULL for initial components). */
uint32_t mpi_model_local(const struct mpi_model *model, uint32_t component);
bool mpi_model_ended(const struct mpi_model *model, uint32_t component);
const struct step_result *mpi_model_result(const struct mpi_model *model, uint32_t component);

/* The transitions of a settled state in which no rank is ready, in a canonical order: by rank; a rank's real choices before
 * its misses. Fills the list, which is the caller's and may be used again, and returns their number. */
struct transition_list {
    struct transition *item;
    size_t count;
    uint32_t room;
};
size_t mpi_model_transitions(const struct mpi_model *model, const uint32_t *state, struct transition_list *list);

/* A name of what a transition of the state is. As long as its owner is not answered, the same transition has the same name, and another
 * one of that owner another name, whatever other ranks do. Of a match this holds as long as the receive is the same one. */
uint64_t mpi_model_name(const struct mpi_model *model, const uint32_t *state, const struct transition *transition);
/* Is it a match? Then sets the number of its receive's request, which is WIRE_NO_REQUEST of all that have none. */
bool mpi_model_match_request(const struct mpi_model *model, const uint32_t *state, const struct transition *transition,
                             uint32_t *request);

/* Is an operation with this request outstanding in a component? */
bool mpi_model_has_request(const struct mpi_model *model, uint32_t component, uint32_t request);

/* Takes a transition: changes the state, and where the owner's call is thereby answered returns the answer (the caller
 * then runs the step and calls mpi_model_step), else NULL. May break a rule: then `violation->class_name` is set (it is
 * NULL otherwise). The answer is valid until the next call for the same rank. */
const struct resolution *mpi_model_take(struct mpi_model *model, uint32_t *state, const struct transition *transition,
                                        struct violation *violation);

/* The ranks that could add a transition to `rank`, or change one of its transitions, before `rank` itself moves. May be too
 * large, never too small: partial-order reduction rests on it.
 *
 * What a rank may do later is not known while its steps are still being found out. It is assumed that a rank does in future only
 * what it has been seen to do (which ranks it sends to, and asks for messages, with which tags on which communicators), and that it
 * sends from each local state on only what it has been seen to send after it: seen up to the last call of mpi_model_assume (before
 * the first one: anything). If mpi_model_assumed_enough says so at the end of an exploration, what was `relied_on` in it held
 * throughout, and what was explored is what a reduction that knew the future would have explored: take the program in which a rank
 * halts instead of making a step that was not met. In it ranks do no more than was relied on, so the reduction is right for it, and
 * reaches every step that one of its orderings takes, among them every one that would be halted. There was none: it is the same
 * program. If not, one assumes more and explores again. */
void mpi_model_influences(const struct mpi_model *model, const uint32_t *state, unsigned rank, struct rank_set *set,
                          bool relied_on);
/* May the transition be taken without its owner's others, because it commutes with them and with all that its owner may do before
 * it, but for those that the ranks in `rivals` have asked for, and as long as no rank in `set` moves? Then adds these ranks to the
 * empty sets. */
bool mpi_model_commutes(const struct mpi_model *model, const uint32_t *state, const struct transition *transition,
                        struct rank_set *rivals, struct rank_set *set, bool relied_on);
/* `hopeful`: of a local state from which no step has been seen it is assumed that nothing is sent from there on, instead of all
 * that its rank has been seen to send. The graph may be much smaller then, and it is more likely that it proves nothing. */
void mpi_model_assume(struct mpi_model *model, bool hopeful);
bool mpi_model_assumed_enough(struct mpi_model *model);

/* The ranks that have not entered a collective that `rank` waits for, those that have ended among them. */
void mpi_model_missing(const struct mpi_model *model, const uint32_t *state, unsigned rank, struct rank_set *set);

/* Of the call of `function` at *site, which is a collective's that `rank` is in or has just left: sets *site to where `partner`
 * has entered it. False: it has not. */
bool mpi_model_collective_partner(const struct mpi_model *model, const uint32_t *state, unsigned rank, unsigned partner,
                                  uint16_t function, uint32_t *site);

/* ---- the same again, fast ----
 *
 * Most moves depend on one or two components alone: a match on the receiver's and the sender's, a step on that of its rank. Such
 * moves are remembered by component numbers, so that neither model nor steps need be asked again.
 *
 * Any number of threads may call mpi_model_again, mpi_model_transitions and mpi_model_influences at a time, while at most one
 * (with a lock of the caller's) calls other functions of the model. */
struct again {
    uint32_t steps, deliveries;
};
/* Takes a transition of a settled state in which no rank is ready, and every determined move after it. False: something in
 * it is not remembered, or breaks a rule; `state` is then of no use. */
bool mpi_model_again(const struct mpi_model *model, uint32_t *state, const struct transition *transition, struct again *again);
/* Remembers a step of `rank` that ended neither badly nor the whole run: from `before` to what it is in the state.
 * `transition`: what its answer was chosen by; NULL: it was determined. Steps that depend on more than the component, and that
 * of the sender whose message a probe has found, are left out. */
void mpi_model_remember(struct mpi_model *model, const uint32_t *state, unsigned rank, uint32_t before,
                        const struct transition *transition, const struct resolution *resolution,
                        const struct step_result *result, uint32_t deliveries);

/* ---- two ranks that change places ----
 *
 * What is done by ranks may be done as well with two of them in each other's place: the image of it. The image of a component, of an
 * answer and of a step's result differs from them in nothing but who the two are: in whom operations and answers name, in whose parts
 * of a collective are whose, and in what messages say. What local states and messages become is for the caller to know.
 *
 * There is no image of what treats ranks differently by their numbers or depends on more than what is looked at here: prefix
 * reductions, neighbourhoods, intercommunicators, communicators of one of the two, cancellation, matched probes, sends in the
 * attached buffer or in ready mode. */
struct message {
    uint32_t context;
    int32_t from, to;
    int32_t tag; /* MESSAGE_OF_COLLECTIVE: what a collective brings */
    uint32_t payload;
};
enum { MESSAGE_OF_COLLECTIVE = INT32_MIN };

struct swap {
    unsigned one, other;
    unsigned program_ranks; /* agents follow: those of the two are exchanged with them */
    /* What a message says in the image. False: it is not known. */
    bool (*image)(void *context, const struct message *message, uint32_t *payload);
    /* Learns it. False: it is known to say something else. */
    bool (*learn)(void *context, const struct message *message, uint32_t payload);
    void *context;
};

static inline unsigned swap_rank(const struct swap *swap, unsigned rank) {
    const unsigned before = rank < swap->program_ranks ? 0 : swap->program_ranks, of = rank - before;
    return before + (of == swap->one ? swap->other : of == swap->other ? swap->one : of);
}

/* The image of a component of `rank`, in the local state `local`, to which `result` led. False: there is none. */
bool mpi_model_swap_component(struct mpi_model *model, const struct swap *swap, unsigned rank, uint32_t component,
                              uint32_t local, const struct step_result *result, uint32_t *image);
/* The image of an answer to the call of a component of `rank`; `image` has room for as many completions. False: there is none. */
bool mpi_model_swap_answer(const struct mpi_model *model, const struct swap *swap, unsigned rank, uint32_t component,
                           const struct resolution *answer, struct resolution *image);
/* Is the one the image of the other: a component of `rank`; what a step of it did? Then the messages in it are learnt. */
bool mpi_model_is_image(const struct mpi_model *model, const struct swap *swap, unsigned rank, uint32_t component,
                        uint32_t image);
bool mpi_model_is_image_result(const struct mpi_model *model, const struct swap *swap, unsigned rank,
                               const struct step_result *result, const struct step_result *image);
/* The same of one operation each, wherever in the program they are. */
bool mpi_model_is_image_operation(const struct mpi_model *model, const struct swap *swap, unsigned rank,
                                  const struct step_result *result, uint32_t operation, const struct step_result *image,
                                  uint32_t operation_of_image);
/* A step may be taken, as its image is: concludes from it what mpi_model_step does. */
void mpi_model_note(struct mpi_model *model, const uint32_t *state, unsigned rank, const struct resolution *resolution,
                    const struct step_result *result);
/* Forgets what is remembered of moves, so that all steps are taken by mpi_model_step once more. Nobody else may be using it. */
void mpi_model_forget_moves(struct mpi_model *model);
/* How many components there are. */
uint32_t mpi_model_components(const struct mpi_model *model);

/* ---- kept in a file ---- */

/* Writes what states refer to, so that they mean the same to another model. Errors show on the stream. False: a step result
 * without a number (UINT32_MAX) is part of it, so that what was written is of no use. */
bool mpi_model_save(const struct mpi_model *model, FILE *out);
/* Reads it into a model that has no components yet, but knows the same communicators and signatures, and as many ranks. `result`:
 * the step result of a number; NULL: there is none. False: the file is not one of this exploration; the model is then of no use. */
struct model_reader {
    FILE *in;
    const struct step_result *(*result)(void *context, uint32_t number);
    void *context;
};
bool mpi_model_load(struct mpi_model *model, const struct model_reader *reader);

/* What a transition is, for witnesses: the operations involved. */
struct transition_story {
    const char *verb; /* "receives from", "is told", "is buffered", … */
    uint16_t owner, partner;
    uint16_t function, partner_function;
    uint32_t site, partner_site;
    int32_t tag;
    bool early;      /* it is over for its owner before the others have entered it: a collective's */
    char detail[96]; /* which request completed, … ; may be empty */
};
void mpi_model_tell(const struct mpi_model *model, const uint32_t *state, const struct transition *transition,
                    struct transition_story *story);

/* Walks what a rank has outstanding: calls `visit` for each operation with its status; `awaited`: the rank's call waits for
 * it, or asks whether it is over, and it is not. */
enum operation_status { OPERATION_PENDING, OPERATION_BUFFERED, OPERATION_CLAIMED, OPERATION_COMPLETE };
void mpi_model_outstanding(const struct mpi_model *model, uint32_t component,
                           void (*visit)(void *context, const struct operation *operation, enum operation_status status,
                                         bool awaited),
                           void *context);

/* A receive whose request was freed, so that nobody can know when it is over; and those that epochs are made of. */
static inline bool operation_is_freed_receive(const struct operation *operation, enum operation_status status) {
    return operation->kind == WIRE_RECEIVE && operation->request == WIRE_NO_REQUEST && status != OPERATION_COMPLETE;
}

#endif
