#include "models/mpi/preload/buffers/pending_leftovers.h"

#include "models/mpi/functions.h"
#include "models/mpi/preload/buffers/leftovers.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/process/foreign_bytes.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/shared_traps.h"
#include "models/mpi/preload/windows/windows.h"

static uint32_t forgotten; /* receives */
static bool calls_back;    /* the program has made attributes, whose functions are called wherever an object goes */

/* What the handler of faults itself uses, thread-local, must not be closed. */
static bool is_near_thread(const struct transfer *transfer, uint64_t bytes) {
    enum { BELOW = 1 << 16, ABOVE = 1 << 13 };
    const uintptr_t thread = (uintptr_t)__builtin_thread_pointer(), from = (uintptr_t)transfer->buffer;
    return from < thread + ABOVE && from + bytes > thread - BELOW;
}

bool pending_leftovers_may_be(const struct request *receive) {
    return (receive->forgotten || forgotten < UNSEEN_MOST) && !calls_back && !control->channel->keeps_threads &&
           window_at(0) == NULL && !is_near_thread(&receive->transfer, request_room(receive));
}

void pending_leftovers_add(struct request *receive) {
    forgotten += !receive->forgotten;
    receive->forgotten = true;
}

void pending_leftovers_remove(struct request *receive) {
    if (!receive->forgotten)
        return; /* as mostly: nothing is written, so that no page is */
    forgotten--;
    receive->forgotten = false;
}

/* The next one from request *at on; NULL: there is none. */
static const struct request *next_forgotten(uint32_t *at) {
    const struct request *request;
    while (forgotten > 0 && (request = request_numbered((*at)++)) != NULL) {
        if (request->forgotten)
            return request;
    }
    return NULL;
}

static const struct request *first_forgotten(void) {
    uint32_t at = 0;
    return next_forgotten(&at);
}

static bool is_in(const struct request *receive, uintptr_t from, uintptr_t to) {
    const uintptr_t at = (uintptr_t)receive->transfer.buffer;
    return from < at + request_room(receive) && at < to;
}

/* What it will overwrite before the program goes on is forgotten all the same, unless that is not enough either: a function of the
 * program's may run before it is overwritten. */
static _Noreturn void keep(const struct request *receive) {
    const uint64_t site = receive->maker.site;
    rank_want_kept(site, leftovers_kept(site, KEPT_WHILE_PENDING) ? KEPT_ALWAYS : KEPT_WHILE_PENDING);
}

/* --- calls ----------------------------------------------------------------------------------------------------------- */

/* Does it read nothing but what it sends, what it says by pending_leftovers_note_read that it reads, and its arguments? */
static bool is_known(uint16_t function) {
    switch (function) {
    case FUNCTION_MPI_Abort:
    case FUNCTION_MPI_Barrier:
    case FUNCTION_MPI_Bcast:
    case FUNCTION_MPI_Bsend:
    case FUNCTION_MPI_Cancel:
    case FUNCTION_MPI_Comm_rank:
    case FUNCTION_MPI_Comm_size:
    case FUNCTION_MPI_Get_count:
    case FUNCTION_MPI_Ibarrier:
    case FUNCTION_MPI_Ibcast:
    case FUNCTION_MPI_Iprobe:
    case FUNCTION_MPI_Irecv:
    case FUNCTION_MPI_Irsend:
    case FUNCTION_MPI_Isend:
    case FUNCTION_MPI_Issend:
    case FUNCTION_MPI_Probe:
    case FUNCTION_MPI_Recv:
    case FUNCTION_MPI_Recv_init:
    case FUNCTION_MPI_Request_free:
    case FUNCTION_MPI_Rsend:
    case FUNCTION_MPI_Send:
    case FUNCTION_MPI_Send_init:
    case FUNCTION_MPI_Sendrecv:
    case FUNCTION_MPI_Ssend:
    case FUNCTION_MPI_Start:
    case FUNCTION_MPI_Startall:
    case FUNCTION_MPI_Test:
    case FUNCTION_MPI_Testall:
    case FUNCTION_MPI_Testany:
    case FUNCTION_MPI_Testsome:
    case FUNCTION_MPI_Wait:
    case FUNCTION_MPI_Waitall:
    case FUNCTION_MPI_Waitany:
    case FUNCTION_MPI_Waitsome: return true;
    default: return false;
    }
}

void pending_leftovers_note_read(const void *memory, size_t bytes) {
    const struct request *receive;
    for (uint32_t at = 0; (receive = next_forgotten(&at)) != NULL;) {
        if (is_in(receive, (uintptr_t)memory, (uintptr_t)memory + bytes))
            keep(receive);
    }
}

void pending_leftovers_note_callback(void) {
    if (forgotten > 0)
        keep(first_forgotten());
}

static bool makes_attributes(uint16_t function) {
    return function == FUNCTION_MPI_Comm_create_keyval || function == FUNCTION_MPI_Type_create_keyval ||
           function == FUNCTION_MPI_Keyval_create;
}

/* MPI's own functions look at nothing of the program's. */
static bool is_own_copy(long copy) { return copy == 0 || copy == (long)MPI_COMM_DUP_FN; }

void pending_leftovers_note_keyval(uint16_t function, const long *word) {
    calls_back = calls_back || (makes_attributes(function) && (!is_own_copy(word[0]) || word[1] != 0));
}

/* --- closing --------------------------------------------------------------------------------------------------------- */

static bool is_closed(void) { return !control->foreign.of_unseen && control->foreign.variant == CLOSED_VARIANT; }

static void close_aside(void) {
    const struct request *receive;
    if (is_closed()) {
        shared_traps_begin_forgotten();
        for (uint32_t at = 0; (receive = next_forgotten(&at)) != NULL;)
            shared_traps_add_unseen((uintptr_t)receive->transfer.buffer,
                                    (uintptr_t)receive->transfer.buffer + request_room(receive));
        shared_traps_close_unseen();
    }
    foreign_bytes_return();
}

static void open_aside(void) {
    if (is_closed())
        shared_traps_open();
    foreign_bytes_return();
}

/* In all executions of a step they do the same of what can be seen. */
void pending_leftovers_close(void) {
    if (forgotten == 0)
        return;
    control->mailbox->forgotten = ++control->foreign.forgotten;
    control->mailbox->forgotten_site = control->foreign.forgotten_site = first_forgotten()->maker.site;
    foreign_bytes_do_aside(close_aside);
}

void pending_leftovers_open(uint16_t function) {
    if (forgotten == 0)
        return;
    foreign_bytes_do_aside(open_aside);
    if (!is_known(function))
        pending_leftovers_note_callback();
}

/* What is asked about lies in closed memory until it is opened. */
void pending_leftovers_end(uintptr_t address) {
    const uintptr_t page = address / PAGE_BYTES * PAGE_BYTES;
    shared_traps_open();
    pending_leftovers_note_read((const void *)address, 1);
    pending_leftovers_note_read((const void *)page, PAGE_BYTES);
    pending_leftovers_note_callback();
    step_end_refused("memory was closed that nobody has forgotten");
}
