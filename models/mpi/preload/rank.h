/* Inside a rank: what the MPI functions of the preloaded library use to talk to the explorer. Everything here is called on
 * the application's stack, from the application's thread that is in MPI, one at a time, between MPI_Init and exit.
 *
 * All of the library's ordinary memory (static variables, malloc) belongs to the rank's local state: it is captured and
 * restored with the program's own, so request tables and the like need no care, but must be numbered by the rank's own
 * history only. */
#ifndef MODELS_MPI_PRELOAD_RANK_H
#define MODELS_MPI_PRELOAD_RANK_H

#include "models/mpi/functions.h"
#include "models/mpi/protocol.h"

#include <stdbool.h>
#include <stddef.h>

/* The number of this rank and of all ranks. Before rank_start both are 0. */
int rank_number(void);
int rank_count(void);
/* Is it no rank of the program, but an agent (enum agents)? */
bool rank_is_agent(void);
/* The number of its program among those that run together. */
int rank_program(void);
/* Do all ranks run that program? */
bool rank_program_is_only(void);

/* Are there agents, and for what (enum agents, AGENTS_MEETING apart). Their rank numbers are rank_count() more than those of the
 * ranks whose windows they keep. */
int rank_agents(void);
bool rank_agents_lock_segments(void); /* AGENTS_LOCKING */
bool rank_agents_meet(void);          /* AGENTS_MEETING */
bool rank_agents_name(void);          /* AGENTS_NAMING */
bool rank_agents_expose(void);        /* AGENTS_EXPOSING */
bool rank_announces(void);            /* AGENTS_ANNOUNCING */
/* ... and for which files (enum file_agents, FILES_HANDED besides). */
int rank_file_agents(void);
/* Ends the rank: the explorer starts over with agents that can do more. What they can do besides, they can still. */
_Noreturn void rank_want_agents(int agents);
_Noreturn void rank_want_file_agents(int agents);
/* AGENTS(…) of those that rank_want_agents would get. */
int rank_agents_of_kind(int agents);
/* ... and, besides those that are there, treats this piece of a shared window in a way of its own. */
_Noreturn void rank_want_place(const struct wire_place_of_window *place);
/* ... and receives of this call site keep what their buffers hold, at least in this way (leftovers.h). */
_Noreturn void rank_want_kept(uint64_t site, enum kept_how how);

/* What keeps the memory of windows in step with their public copies (window_public.c). Each may be NULL. */
struct rank_hooks {
    void (*before_issue)(const struct wire_operation *operation); /* before anything is asked of the network */
    /* Shall that be once the library has read all that it asks with? The operation is held back until then. */
    bool (*holds_back)(void);
    void (*before_block)(void);  /* before the rank waits */
    void (*before_errand)(void); /* the same, for something of the library's own, from which the program learns nothing */
    /* Does the rank learn something from this answer? Then `after_answer` is called, which may block itself; the answer stays
     * valid. */
    bool (*learns)(const uint32_t *request, const struct wire_resolution *answer);
    void (*after_answer)(const struct wire_call *call);
};
extern struct rank_hooks rank_hooks;

/* Is the library active: between rank_start and the end of the process. Calls outside are errors of the program. */
bool rank_started(void);

/* Called by MPI_Init(_thread) after the real MPICH has been initialised. Turns this process into the zygote; returns once
 * for each rank (in some executor), with rank_number and rank_count set. Ends the process with one sentence if the library
 * was not started by the explorer. */
void rank_start(uint16_t function, uint64_t site);
/* To be called before MPICH is initialised, which maps memory of that kind for itself: has the program mapped any that other
 * processes can change? Then rank_start ends it. */
void rank_note_shared_memory(void);

/* A call that is wrong or not supported comes before MPI_Init: MPI is initialised so that there are ranks to tell of it.
 * (init.c) */
void rank_start_early(uint16_t function, uint64_t site);

/* Tells the explorer of a communicator (each member does, when it is created). `first_group`: of an intercommunicator, how many
 * of the members are the first of its groups; else 0. */
void rank_announce_context(uint64_t context, const int *world_ranks, int members, int first_group);
/* ... and whose data this process takes in its neighbourhood collectives. */
void rank_announce_sources(uint64_t context, const int *world_ranks, int sources);

/* Tells it what the name of a type signature means, before an operation that has it. Once in a rank's life is enough. */
void rank_announce_signature(uint64_t name, const struct wire_run *run, uint32_t runs);

/* ... and what the name of what a request to an agent touches means, before the request. */
void rank_announce_touches(const struct wire_touches *touches, const struct wire_touch *touch);

/* Asks something of the network. `operation->parts` parts must be added right after with rank_add_part, in order. */
void rank_issue(const struct wire_operation *operation);
/* Room for the next part of the operation just issued: fill in `size` bytes (8-byte aligned) before any other rank_ call. */
void *rank_add_part(size_t size);

/* Receives by this communicator that the step has asked for have this mode (enum wire_receive_mode) instead. */
void rank_change_receives(uint64_t context, uint8_t mode);

/* What was held back is asked: the program goes on. */
void rank_let_go(void);

/* Ends the step: blocks in `call` with its request numbers; returns when the explorer has answered. Walk the answer with
 * rank_completion. It stays valid until the next rank_block. */
const struct wire_resolution *rank_block(const struct wire_call *call, const uint32_t *request);

/* The same without hooks; for those behind the hooks. */
const struct wire_resolution *rank_block_unhooked(const struct wire_call *call, const uint32_t *request);
/* The same in two halves, for a caller that completes accesses in between: what they received into holds what it holds until the
 * second half, in which buffers that are pending still are covered again (pending_buffers.h). */
const struct wire_resolution *rank_block_first_half(const struct wire_call *call, const uint32_t *request);
void rank_block_second_half(const struct wire_call *call, const uint32_t *request, const struct wire_resolution *answer);

/* Completion number i of an answer (0-based, in order), and its data (completion->data bytes). */
const struct wire_completion *rank_completion(const struct wire_resolution *resolution, uint32_t i);
const struct wire_completion *rank_completion_next(const struct wire_completion *completion);
/* The next that is no part of this one. */
const struct wire_completion *rank_completion_past(const struct wire_completion *completion);
const void *rank_completion_data(const struct wire_completion *completion);

/* To be called by MPI_Finalize: what an exit after it will report as leaked. */
struct rank_leaks {
    uint32_t requests;
    uint32_t handles;
    uint64_t request_site;     /* where the first request was made */
    uint64_t handle_site;      /* where the first object was made */
    uint16_t request_function; /* by what */
    uint16_t handle_function;
    char handle_kind[24]; /* what it is: "a datatype" … */
};
void rank_finalized(const struct rank_leaks *leaks);
/* ... and if that has become less since. */
void rank_leaks(const struct rank_leaks *leaks);

/* Before a place is told of: ends the step if agents do not say whose access it is, so that they do next time. */
void rank_ask_whose(const struct wire_place *place);

/* The rank ends here. None of these returns. */
_Noreturn void rank_abort(uint16_t function, uint64_t site, int code);                  /* MPI_Abort */
_Noreturn void rank_violation(const char *class_name, uint16_t function, uint64_t site, /* broke an MPI rule */
                              const char *format, ...) __attribute__((format(printf, 4, 5)));
_Noreturn void rank_violation_at(const char *class_name, uint16_t function, uint64_t site, const struct wire_place place[2],
                                 const char *format, ...) __attribute__((format(printf, 5, 6))); /* other calls have a part */
_Noreturn void rank_refuse(uint16_t function, uint64_t site, const char *format, ...)            /* unsupported */
    __attribute__((format(printf, 3, 4)));

/* Reads the rank's logical clock (clock.h), in seconds. */
double rank_clock(void);

#endif
