#include "models/mpi/preload/leftovers.h"

#include "models/mpi/preload/buffer_room.h"
#include "models/mpi/preload/control.h"
#include "models/mpi/preload/data.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/threads.h"
#include "models/mpi/preload/windows.h"

#include <string.h>

/* To zero more takes longer than what it could save is worth. */
enum { FORGOTTEN_MOST = 1 << 16 };

/* Others may look at what they know the address of. */
static bool forgets(void) { return rank_core.forgets && window_at(0) == NULL && !threads_others(); }

static bool is_kept(uint64_t site) {
    for (uint32_t i = 0; i < rank_core.kept_sites; i++)
        if (rank_core.kept_site[i] == site)
            return true;
    return false;
}

static uint64_t bytes_of(const struct transfer *transfer) { return (uint64_t)transfer->count * data_size(transfer->type); }

/* Is it memory that local states have? Other memory may be read-only: an empty message leaves it as it is. */
static bool is_captured(const void *buffer, uint64_t bytes) {
    const uintptr_t from = (uintptr_t)buffer;
    for (uint32_t i = 0; i < control->image.ranges; i++)
        if (from >= control->image.range[i].start && from + bytes <= control->image.range[i].end)
            return true;
    return false;
}

/* What MPI_Sendrecv_replace sends from there it has sent. */
static bool may_forget(const struct request *request) {
    const struct transfer *transfer = &request->transfer;
    if (request->state != REQUEST_ACTIVE || request->collective != NULL || request_is_pair(request) || request->of_window ||
        request->of_file || transfer->kind != WIRE_RECEIVE || !data_is_plain(transfer->type) || is_kept(request->maker.site))
        return false;
    uint64_t bytes = bytes_of(transfer);
    return bytes > 0 && bytes <= FORGOTTEN_MOST && is_captured(transfer->buffer, bytes) && has_room(transfer->buffer, bytes);
}

void leftovers_forget(const struct wire_call *call, const uint32_t *request) {
    if (call->kind != WIRE_CALL_WAIT_ALL || !forgets())
        return;
    for (uint32_t i = 0; i < call->requests; i++) {
        struct request *receive = request_numbered(request[i]);
        if (receive == NULL || !may_forget(receive))
            continue;
        memset(receive->transfer.buffer, 0, bytes_of(&receive->transfer));
        receive->forgotten = true;
    }
}

void leftovers_forget_statuses(MPI_Status statuses[], int count) {
    if (statuses == MPI_STATUSES_IGNORE || !forgets())
        return;
    for (int i = 0; i < count; i++)
        statuses[i] = (MPI_Status){.MPI_ERROR = statuses[i].MPI_ERROR};
}

void leftovers_overwrite(struct request *request, const struct wire_completion *completion) {
    if (request->forgotten && completion->data < bytes_of(&request->transfer))
        rank_want_kept(request->maker.site);
    request->forgotten = false;
}
