/* Who owns the program's buffers while operations are pending (MPI-3.1 sections 3.7.2 and 5.12): from when one is started until
 * a wait or test reports it complete, the program must not change what is sent, nor read or write what is received, and no
 * other operation may use the same bytes, but that several may send them. Nor must it change the arrays of counts,
 * displacements and types that it gave a nonblocking collective.
 *
 * What is sent is compared with what it was whenever the rank blocks. Whether what is received was read is found out by running
 * a step again with other bytes there, put in when the operation is started or the program goes on, and taken out when it
 * blocks: a right program does the same. The explorer asks for that (struct mailbox, `variant`). */
#ifndef MODELS_MPI_PRELOAD_PENDING_BUFFERS_H
#define MODELS_MPI_PRELOAD_PENDING_BUFFERS_H

#include "models/mpi/preload/caller.h"
#include "models/mpi/preload/datatypes/footprint.h"
#include "models/mpi/preload/memory/stack_room.h"
#include "models/mpi/protocol.h"

/* What an operation owns. All zero: nothing. */
struct buffers {
    struct footprint given; /* is sent */
    struct footprint taken; /* will be received into; may meet `given` (MPI_IN_PLACE) */
    struct footprint told;  /* arrays that say what is sent and received */
    uint64_t content;       /* hash of what is sent */
    uint64_t told_content;  /* ... and of the arrays */
    bool in_window;         /* what is received into */
    bool uses_window;       /* ... or sent */
    bool has_pages;         /* ... it has pages to itself */
    bool given_freed;       /* the program has freed some of it; there may be another block by now */
    bool taken_freed;
    bool told_freed;
    struct stack_frame given_frame, taken_frame, told_frame; /* whose variables they are */
};

void buffers_free(struct buffers *buffers);

/* Within which bounds they lie: what is received into, and what only must stay as it is. */
struct buffers_bounds {
    struct bounds taken, kept;
};

/* Is anything owned? */
bool pending_buffers_any(void);
/* Does it matter which buffers a call has that owns none when it returns? */
bool pending_buffers_matter(void);
/* Ends the rank if a pending operation owns what these buffers need. */
void pending_buffers_require_free(const struct caller *caller, const struct buffers *buffers);
void pending_buffers_require_free_send(const struct caller *caller, const void *buffer, MPI_Count count, MPI_Datatype type);

/* The buffers of request `number`, which have been stored in it, are owned from now on; no longer. Requests that own nothing may be
 * released. */
void pending_buffers_own(uint32_t number);
void pending_buffers_release(uint32_t number);

/* Ends the rank if it has changed what the request still owns. */
void pending_buffers_check_given(uint32_t number);

/* The same of an access to a window, whose buffers become the property of this module, if no pending operation owns what they need:
 * a number to release them by, or PENDING_BUFFERS_NONE, which may be released too, if it owns nothing. */
#define PENDING_BUFFERS_NONE UINT32_MAX
uint32_t pending_buffers_own_access(const struct caller *caller, const struct buffers *buffers);
void pending_buffers_release_access(uint32_t slot);

/* A split collective access to a file, from when it has begun. The buffers become the property of this module, and are free. To be
 * released likewise. */
uint32_t pending_buffers_own_split(const struct caller *caller, const struct buffers *buffers);
/* Before that: ends the rank if it has touched what the access owns. */
void pending_buffers_check_split(uint32_t slot);

/* The call that made a pending operation which receives into memory from `from` to before `to`, or, if that `changes`, sends it;
 * NULL: there is none. */
const struct caller *pending_buffers_find(uintptr_t from, uintptr_t to, bool changes);

/* Buffers of accesses that are not going to be complete yet, in the order in which they were taken; none of them unless some are in a
 * window's memory. */
void pending_buffers_for_each_access(void (*use)(const struct caller *maker, const struct buffers *buffers, void *context),
                                     void *context);
/* The access is going to be complete. */
void pending_buffers_let_access_go(uint32_t slot);
bool pending_buffers_goes(uint32_t slot);

/* For guarded_stores.h: is there memory that is received into, and the program must not store to? That is to be closed. It stores
 * there. */
bool pending_buffers_forbid(void);
void pending_buffers_guard(void);
void pending_buffers_guard_one(uint32_t number); /* as foreign_bytes.h numbers it */
void pending_buffers_check_store(uintptr_t from, uintptr_t to, const void *context);

/* The rank blocks: ends it if the program has touched what it does not own. */
void pending_buffers_check(const struct wire_call *call);
/* Memory from `from` to before `to` will be read by the library itself from now on. */
void pending_buffers_uncover(uintptr_t from, uintptr_t to);
/* Are there any that receive into a window's memory? Other bytes are put there by these only (own_accesses.h). */
bool pending_buffers_in_windows(void);
void pending_buffers_cover_windows(void);
void pending_buffers_uncover_windows(void);
/* It may zero memory that the program wants ignored: what is sent then differs rightly. */
void pending_buffers_note_content(void);
/* It goes on, with some of the requests in the call's list complete. */
void pending_buffers_go_on(const struct wire_call *call, const uint32_t *request, const struct wire_resolution *answer);
/* It has not blocked: nothing is complete, and only exposure_uncover was called. */
void pending_buffers_go_on_covered(const struct wire_call *call);

#endif
