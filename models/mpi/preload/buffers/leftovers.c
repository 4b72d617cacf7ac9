#include "models/mpi/preload/buffers/leftovers.h"

#include "models/mpi/preload/buffers/buffer_room.h"
#include "models/mpi/preload/buffers/pending_leftovers.h"
#include "models/mpi/preload/datatypes/data.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/process/threads.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/window_sharing.h"
#include "models/mpi/preload/windows/windows.h"

#include <string.h>

/* To zero more takes longer than what it could save is worth. */
enum { FORGOTTEN_MOST = 1 << 16 };

static bool forgets(void) { return rank_core.forgets && !sharing_any() && !threads_others(); }

/* What lies in a window others may look at, and is compared with what they know of it. */
static bool is_in_window(const void *memory, uint64_t bytes) {
    const struct footprint footprint = {.first = {(intptr_t)memory, bytes, 0, 1}, .combs = 1};
    return windows_hold(&footprint);
}

bool leftovers_any_forgotten(void) { return rank_core.forgets; }

bool leftovers_kept(uint64_t site, enum kept_how how) {
    uint32_t i = 0;
    while (i < rank_core.kept_sites && rank_core.kept_site[i].site != site)
        i++;
    return i < rank_core.kept_sites && rank_core.kept_site[i].how >= how;
}

/* Is it memory that local states have? Other memory may be read-only: an empty message leaves it as it is. */
static bool is_captured(const void *buffer, uint64_t bytes) {
    const uintptr_t from = (uintptr_t)buffer;
    for (uint32_t i = 0; i < control->image.ranges; i++)
        if (from >= control->image.range[i].start && from + bytes <= control->image.range[i].end)
            return true;
    return false;
}

static bool may_zero(const void *buffer, uint64_t bytes) {
    return bytes > 0 && bytes <= FORGOTTEN_MOST && is_captured(buffer, bytes) && has_room(buffer, bytes) &&
           !is_in_window(buffer, bytes);
}

/* What MPI_Sendrecv_replace sends from there it has sent. */
static bool may_forget(const struct request *request) {
    const struct transfer *transfer = &request->transfer;
    if (request->state != REQUEST_ACTIVE || request->collective != NULL || request_is_pair(request) || request->of_window ||
        request->file != 0 || transfer->kind != WIRE_RECEIVE || !data_is_plain(transfer->type) ||
        leftovers_kept(request->maker.site, KEPT_ALWAYS))
        return false;
    return may_zero(transfer->buffer, request_room(request));
}

static void forget(struct request *receive) {
    memset(receive->transfer.buffer, 0, request_room(receive));
    pending_leftovers_add(receive);
}

/* The program will not go on before all of these are complete. */
static void forget_awaited(const struct wire_call *call, const uint32_t *request) {
    for (uint32_t i = 0; i < call->requests; i++) {
        struct request *receive = request_numbered(request[i]);
        if (receive != NULL && may_forget(receive))
            forget(receive);
    }
}

static void forget_pending(void) {
    struct request *receive;
    for (uint32_t number = 0; (receive = request_numbered(number)) != NULL; number++) {
        if (may_forget(receive) && !leftovers_kept(receive->maker.site, KEPT_WHILE_PENDING) &&
            pending_leftovers_may_be(receive))
            forget(receive);
    }
}

void leftovers_forget(const struct wire_call *call, const uint32_t *request) {
    if (!forgets())
        return;
    if (call->kind == WIRE_CALL_WAIT_ALL)
        forget_awaited(call, request);
    forget_pending();
}

/* All of the buffer is going to be overwritten before the call returns, by which the access is completed: what comes is as long. */
static void forget_result(const struct issued_access *issued) {
    const struct issued_buffer *result = &issued->result;
    const uint64_t bytes = issued->access->result;
    if (pending_buffers_goes(issued->owned) && bytes > 0 && data_is_plain(result->type) && may_zero(result->address, bytes))
        memset(result->address, 0, bytes);
}

void leftovers_forget_results(void) {
    const struct window *window;
    for (size_t i = 0; forgets() && (window = window_at(i)) != NULL; i++) {
        for (int target = 0; target < window->communicator->size; target++) {
            const struct window_target *at = &window->target[target];
            for (size_t k = 0; k < at->issued_count; k++)
                forget_result(&at->issued[k]);
        }
    }
}

void leftovers_forget_statuses(MPI_Status statuses[], int count) {
    if (statuses == MPI_STATUSES_IGNORE || !forgets() || is_in_window(statuses, (uint64_t)count * sizeof *statuses))
        return;
    for (int i = 0; i < count; i++)
        statuses[i] = (MPI_Status){.MPI_ERROR = statuses[i].MPI_ERROR};
}

/* In a buffer that an operation owns, storing there is a mistake, which shall be found where it was made. */
void leftovers_forget_number(int *number) {
    const uintptr_t from = (uintptr_t)number, to = from + sizeof *number;
    if (forgets() && !is_in_window(number, sizeof *number) && pending_buffers_find(from, to, true) == NULL)
        *number = 0;
}

void leftovers_overwrite(struct request *request, const struct wire_completion *completion) {
    if (request->forgotten && (completion->cancelled || completion->data < request_room(request)))
        rank_want_kept(request->maker.site, KEPT_ALWAYS);
    pending_leftovers_remove(request);
}

void leftovers_let_go(struct request *request) {
    if (request->forgotten)
        rank_want_kept(request->maker.site, KEPT_ALWAYS);
}
