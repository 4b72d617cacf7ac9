/* The program's requests: a table whose slot numbers are what the explorer knows them by.
 *
 *     handle 0xac000002  ->  slot 2  ->  request number 2 of this rank
 *
 * A new request takes the slot that follows from where the program keeps its handle, so that who begins operations again as they
 * end, in whatever order, has the same handles in the same places, and comes back to the same states. If that is in use, and for
 * requests whose handle the program does not see, it is the lowest unused slot.
 *
 *     UNUSED --make--> INACTIVE --start--> ACTIVE --explorer's answer--> COMPLETE --reported--> UNUSED
 *                         ^                                                         (persistent: INACTIVE)
 *
 * COMPLETE is only kept for requests that are known to be complete without having been reported by a wait or test: partner
 * MPI_PROC_NULL, seen by MPI_Request_get_status, or generalized. The explorer knows nothing of generalized requests:
 * one that is ACTIVE never completes in a call that waits for it, as only its own rank can complete it. */
#ifndef MODELS_MPI_PRELOAD_REQUESTS_H
#define MODELS_MPI_PRELOAD_REQUESTS_H

#include "models/mpi/preload/caller.h"
#include "models/mpi/preload/communicators/communicators.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/protocol.h"

struct collective;
struct buffers;

/* What MPI_Isend, MPI_Recv_init and the like are given. */
struct transfer {
    uint8_t kind; /* WIRE_SEND or WIRE_RECEIVE; WIRE_COLLECTIVE: only communicator and type hold */
    uint8_t mode; /* enum wire_send_mode */
    bool persistent;
    bool blocking; /* the program does not go on before it is complete */
    bool unowned;  /* its buffer is another operation's, which owns it, or lent to the request by itself */
    struct communicator *communicator;
    void *buffer;
    MPI_Count count;
    MPI_Datatype type;
    int peer; /* as the program gave it: MPI_PROC_NULL, MPI_ANY_SOURCE or a rank of the communicator */
    int tag;
};

/* Completes `transfer` (all but its communicator is filled in) after checking it; point_to_point.c. */
int check_transfer(const struct caller *caller, MPI_Comm handle, struct transfer *transfer);

/* Makes an inactive request. The communicator and the datatype are held until it is gone. The program will keep its handle there;
 * NULL: it is not for the program. So it is with all that make requests. */
MPI_Request request_make(const struct caller *caller, const struct transfer *transfer, const MPI_Request *kept_at);
/* Makes and starts a request that is complete when both a receive and a send are: that of MPI_Isendrecv. These are requests that
 * the explorer knows and the program does not. */
MPI_Request request_make_pair(const struct caller *caller, const struct transfer *send, const struct transfer *receive,
                              const MPI_Request *kept_at);
/* Makes and starts a request for the receive of a claimed message, which `operation` tells the explorer of once it has the
 * request's number. */
MPI_Request request_make_matched(const struct caller *caller, const struct transfer *transfer, struct wire_operation *operation,
                                 const MPI_Request *kept_at);
/* Makes and starts a request for what is done already, which the program is told of at any time from now on: it is a message to
 * itself, on a communicator that the program does not see, with tag `tag` plus the request's number. */
MPI_Request request_make_done(const struct caller *caller, struct communicator *hidden, int tag, const MPI_Request *kept_at);
/* Makes a request that is complete already, with what a wait or test will report. */
MPI_Request request_make_complete(const struct caller *caller, const struct transfer *transfer, const MPI_Status *status,
                                  int error, const MPI_Request *kept_at);
/* A request number for a nonblocking collective that is about to be entered, and its handle; `collective`, which becomes the
 * request's, follows, with the buffers that it owns from then on. Its communicator is held by itself. */
uint32_t request_reserve(MPI_Request *handle);
void request_make_collective(MPI_Request handle, struct collective *collective, const struct buffers *buffers);
/* Makes an inactive request for a persistent collective on `communicator`, which becomes the request's. */
void request_make_persistent(MPI_Request *handle, struct collective *collective, struct communicator *communicator);
/* INACTIVE -> ACTIVE: asks the explorer. */
void request_start(const struct caller *caller, MPI_Request handle);

/* Blocks until it is complete, and returns its error; sets the handle to MPI_REQUEST_NULL (a persistent one becomes
 * inactive). */
int request_wait(const struct caller *caller, MPI_Request *handle, MPI_Status *status);
/* The same for the two halves of MPI_Sendrecv: the receive's error and status. */
int requests_exchange(const struct caller *caller, MPI_Request receive, MPI_Request send, MPI_Status *status);

/* Adds the requests that were started and not reported or freed, and as handles the persistent ones that are inactive. */
void requests_leaked(struct rank_leaks *leaks);

/* A send is issued. Bytes of the buffer attached for buffered ones, for the explorer to see that it fits there beside those that have
 * not been received yet; 0: there is room for all, or no buffer, or the program handles errors itself, which the explorer cannot tell
 * it of. */
uint64_t bsend_take_room(const struct transfer *transfer);

/* Statuses; all accept MPI_STATUS_IGNORE. MPI_ERROR is left alone: only functions that return MPI_ERR_IN_STATUS set it. */
void status_set_empty(MPI_Status *status);
void status_set_no_process(MPI_Status *status);
/* `source` is a rank of MPI_COMM_WORLD. */
void status_set_message(MPI_Status *status, const struct communicator *communicator, int source, int tag, uint64_t size);

#endif
