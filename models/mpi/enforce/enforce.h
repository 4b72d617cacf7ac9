/* libexplore_enforce.so: preloaded into the ranks of a program under real MPI, it makes them choose what an ordering says where MPI
 * leaves the choice open, or writes down what they chose. Everything else is MPI's own. The rules of the game:
 *
 *     - a receive from MPI_ANY_SOURCE is posted with the source that it is to get;
 *     - a standard send is made synchronous, or its message is copied and the send is over;
 *     - of a call that may report one request or another the right ones are waited for, and reported;
 *     - a call that may say "not yet" says so as often as the ordering does, and then waits.
 *
 * One thread of a rank at a time, as in the explorer. The library is also loaded into what is started before the program (a
 * debugger): until MPI_Init it does nothing, and it needs no MPI library of its own. */
#ifndef MODELS_MPI_ENFORCE_ENFORCE_H
#define MODELS_MPI_ENFORCE_ENFORCE_H

#include "models/mpi/enforce/choices.h"
#include "models/mpi/enforce/run_state.h"
#include "models/mpi/functions.h"

#include <mpi.h>

/* The MPI library's own: REAL(Send)(buffer, ...). */
void *enforce_real(uint16_t function);
#define REAL(name) ((__typeof__(&MPI_##name))enforce_real(FUNCTION_MPI_##name))

/* MPI_Send and PMPI_Send are one function. */
#define EXPORT(name)                                                          \
    __typeof__(MPI_##name) MPI_##name __attribute__((visibility("default"))); \
    __typeof__(MPI_##name) PMPI_##name __attribute__((alias("MPI_" #name), visibility("default")));

/* How each function begins: calls that the MPI library makes itself, or that come outside of the run, are its own. */
#define ENTER(name, ...)                                       \
    const uint16_t function = FUNCTION_MPI_##name;             \
    if (!enforce_enter(function, __builtin_return_address(0))) \
    return REAL(name)(__VA_ARGS__)
/* How it ends. */
#define LEAVE(result) return enforce_leave(result)

bool enforce_enter(uint16_t function, const void *return_address);
int enforce_leave(int result);

/* --- the ordering -------------------------------------------------------------------------------------------------------- */

bool enforce_records(void);
/* What this rank is to choose in this call. Ends the rank's part, and does not return, if it calls something else than the
 * ordering says. NULL: nothing is left to choose, and the call is to be made as it is (see enum run_end). */
const struct choice_made *enforce_choice(enum choice_class kind);
/* Is the collective to be held until all have entered, or to be left by those who may? Not if it is the last call of a rank before
 * the end of an ordering that fails: MPI shall do what it does. */
bool enforce_holds_back(const struct choice_made *choice);
/* Recording: adds a choice; its number, for enforce_amend. */
size_t enforce_record(enum choice_class kind, enum choice_word word, const int32_t *number, uint32_t numbers);
void enforce_amend(size_t choice, enum choice_word word, const int32_t *number, uint32_t numbers);

/* The rank goes no further: it stays in this call, lets MPI make progress for the others, and waits to be ended. */
_Noreturn void enforce_hold(void);
_Noreturn void enforce_depart(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Waits until all have entered the collectives that this rank has left early. */
void enforce_end_barriers(void);

/* Can the rank be sent to or received from in this communicator? What cannot is MPI's to complain of. */
bool enforce_has_rank(MPI_Comm communicator, int rank);
/* Ranks in MPI_COMM_WORLD and in a communicator (its remote group, if it is an intercommunicator). */
int enforce_world_rank(MPI_Comm communicator, int rank);
int enforce_local_rank(MPI_Comm communicator, int world_rank);

/* --- requests ------------------------------------------------------------------------------------------------------------ */

/* A message as MPI functions describe it. */
struct transfer {
    const void *buffer;
    int count;
    MPI_Datatype type;
    int peer, tag;
    MPI_Comm communicator;
};

enum send_mode { SEND_STANDARD, SEND_SYNCHRONOUS, SEND_BUFFERED }; /* a ready send counts as a standard one */

/* What has to be known of some requests. Others are plain: nonblocking, started, not known to be complete. */
struct tracked {
    MPI_Request handle;
    bool idle;     /* completes only by being cancelled */
    bool complete; /* needs no waiting, as the explorer sees it */
    bool receives; /* recording: what it gets is choice number `choice` */
    bool wildcard; /* ... and is known only then */
    size_t choice;
    bool persistent; /* what follows holds; the request that the program has a handle of is never started */
    bool sends;
    enum send_mode mode;
    struct transfer transfer;
    MPI_Request current; /* what was started in its place; MPI_REQUEST_NULL: it is inactive */
};
/* NULL: plain. Valid until the next one is added. */
struct tracked *tracked_find(MPI_Request handle);
struct tracked *tracked_add(MPI_Request handle);
void tracked_forget(MPI_Request handle);

/* Post a receive, start a send, as the ordering has it; the call is the one that was entered. */
int enforce_receive(const struct transfer *transfer, MPI_Request *request);
int enforce_send(enum send_mode mode, const struct transfer *transfer, MPI_Request *request);
/* Waits for a request of these, and notes what the recording wants to know. */
int enforce_wait(MPI_Request *request, MPI_Status *status);

/* A request that is complete already, and that counts as such; `no_process`: its status is that of MPI_PROC_NULL. */
int enforce_complete_request(bool no_process, MPI_Request *request);
/* One that is complete only once it is cancelled; tracked as idle. */
int enforce_idle_request(MPI_Request *request);

#endif
