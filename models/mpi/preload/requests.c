#include "models/mpi/preload/request_table.h"

#include "models/mpi/preload/arguments.h"
#include "models/mpi/preload/data.h"
#include "models/mpi/preload/rank.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_HANDLE 0xac000000u /* the form of MPICH's own request handles; it never gives any to the program */

static struct request *table;
static uint32_t slots;

void status_set_empty(MPI_Status *status)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    status->MPI_SOURCE = MPI_ANY_SOURCE;
    status->MPI_TAG = MPI_ANY_TAG;
    REAL(Status_set_cancelled)(status, 0);
    REAL(Status_set_elements_x)(status, MPI_BYTE, 0);
}

void status_set_no_process(MPI_Status *status)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    status_set_empty(status);
    status->MPI_SOURCE = MPI_PROC_NULL;
}

void status_set_message(MPI_Status *status, const struct communicator *communicator, int source, int tag, uint64_t size)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    status_set_empty(status);
    status->MPI_SOURCE = communicator_rank_of(communicator, source);
    status->MPI_TAG = tag;
    REAL(Status_set_elements_x)(status, MPI_BYTE, (MPI_Count)size);
}

uint32_t request_number(MPI_Request handle)
{
    return (uint32_t)handle - FIRST_HANDLE;
}

struct request *request_find(MPI_Request handle)
{
    uint32_t slot = request_number(handle);
    return slot < slots && table[slot].state != REQUEST_UNUSED ? &table[slot] : NULL;
}

const struct request *request_numbered(uint32_t number)
{
    return number < slots && table[number].state != REQUEST_UNUSED ? &table[number] : NULL;
}

static uint32_t take_slot(void)
{
    uint32_t slot = 0;
    while (slot < slots && table[slot].state != REQUEST_UNUSED)
        slot++;
    if (slot < slots)
        return slot;
    uint32_t grown = slots == 0 ? 16 : 2 * slots;
    table = realloc(table, grown * sizeof *table);
    memset(table + slots, 0, (grown - slots) * sizeof *table);
    slots = grown;
    return slot;
}

MPI_Request request_make(const struct caller *caller, const struct transfer *transfer)
{
    uint32_t slot = take_slot();
    struct request *request = &table[slot];
    request->state = REQUEST_INACTIVE;
    request->transfer = *transfer;
    request->maker = *caller;
    request->transfer.communicator = communicator_hold(transfer->communicator);
    request->transfer.type = data_hold_type(transfer->type);
    return (MPI_Request)(FIRST_HANDLE + slot);
}

MPI_Request request_make_complete(const struct caller *caller, const struct transfer *transfer, const MPI_Status *status)
{
    MPI_Request handle = request_make(caller, transfer);
    struct request *request = request_find(handle);
    request->state = REQUEST_COMPLETE;
    request->status = *status;
    return handle;
}

void request_discard(struct request *request)
{
    communicator_release(request->transfer.communicator);
    data_release_type(request->transfer.type);
    memset(request, 0, sizeof *request);
}

void request_start(const struct caller *caller, MPI_Request handle)
{
    struct request *request = request_find(handle);
    const struct transfer *transfer = &request->transfer;
    if (transfer->peer == MPI_PROC_NULL) {
        status_set_no_process(&request->status);
        request->state = REQUEST_COMPLETE;
        return;
    }
    bool sends = transfer->kind == WIRE_SEND;
    const struct communicator *communicator = transfer->communicator;
    struct wire_operation operation = {
        .kind = transfer->kind,
        .mode = transfer->mode,
        .function = caller->function,
        .request = request_number(handle),
        .context = communicator->context,
        .peer = transfer->peer == MPI_ANY_SOURCE ? WIRE_ANY_SOURCE : communicator->world[transfer->peer],
        .tag = transfer->tag == MPI_ANY_TAG ? WIRE_ANY_TAG : transfer->tag,
        .capacity = sends ? 0 : (uint64_t)transfer->count * data_size(transfer->type),
        .site = caller->site,
        .parts = sends ? 1 : 0,
    };
    request->state = REQUEST_ACTIVE;
    rank_issue(&operation);
    if (sends)
        data_add_part(transfer->buffer, transfer->count, transfer->type);
}

void request_complete(struct request *request, const struct wire_completion *completion)
{
    const struct transfer *transfer = &request->transfer;
    request->state = REQUEST_COMPLETE;
    status_set_empty(&request->status);
    if (completion->cancelled) {
        REAL(Status_set_cancelled)(&request->status, 1);
        return;
    }
    if (transfer->kind != WIRE_RECEIVE)
        return;
    data_unpack(transfer->buffer, transfer->type, rank_completion_data(completion), completion->data);
    status_set_message(&request->status, transfer->communicator, completion->source, completion->tag, completion->size);
}

void request_report(struct request *request, MPI_Request *handle, MPI_Status *status)
{
    if (status != MPI_STATUS_IGNORE) {
        int kept = status->MPI_ERROR; /* only set by functions that return MPI_ERR_IN_STATUS */
        *status = request->status;
        status->MPI_ERROR = kept;
    }
    if (request->transfer.persistent) {
        request->state = REQUEST_INACTIVE;
        memset(&request->status, 0, sizeof request->status);
        return;
    }
    request_discard(request);
    *handle = MPI_REQUEST_NULL;
}

uint32_t requests_active(uint64_t *site)
{
    uint32_t active = 0;
    for (uint32_t slot = 0; slot < slots; slot++) {
        if (table[slot].state != REQUEST_ACTIVE)
            continue;
        if (active++ == 0)
            *site = table[slot].maker.site;
    }
    return active;
}

static int check_inactive(const struct caller *caller, MPI_Request handle)
{
    const struct request *request = request_find(handle);
    if (request == NULL || !request->transfer.persistent)
        return reject(caller, MPI_COMM_WORLD, MPI_ERR_REQUEST, "a request that is not persistent");
    if (request->state != REQUEST_INACTIVE)
        return reject(caller, request->transfer.communicator->handle, MPI_ERR_REQUEST, "a request that is still active");
    return MPI_SUCCESS;
}

EXPORT(Start)
int MPI_Start(MPI_Request *handle)
{
    ENTER(Start, handle);
    int error = check_inactive(caller, *handle);
    if (error == MPI_SUCCESS)
        request_start(caller, *handle);
    return error;
}

EXPORT(Startall)
int MPI_Startall(int count, MPI_Request handles[])
{
    ENTER(Startall, count, handles);
    for (int i = 0; i < count; i++) {
        int error = check_inactive(caller, handles[i]);
        if (error != MPI_SUCCESS)
            return error;
        request_start(caller, handles[i]);
    }
    return MPI_SUCCESS;
}

static void issue_about(const struct caller *caller, uint8_t kind, MPI_Request handle)
{
    const struct request *request = request_find(handle);
    struct wire_operation operation = {
        .kind = kind,
        .function = caller->function,
        .request = request_number(handle),
        .context = request->transfer.communicator->context,
        .peer = -1,
        .site = caller->site,
    };
    rank_issue(&operation);
}

EXPORT(Request_free)
int MPI_Request_free(MPI_Request *handle)
{
    ENTER(Request_free, handle);
    struct request *request = request_find(*handle);
    if (request == NULL)
        return reject(caller, MPI_COMM_WORLD, MPI_ERR_REQUEST, "MPI_REQUEST_NULL or a request that does not exist");
    if (request->state == REQUEST_ACTIVE)
        issue_about(caller, WIRE_FREE, *handle);
    request_discard(request);
    *handle = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

EXPORT(Cancel)
int MPI_Cancel(MPI_Request *handle)
{
    ENTER(Cancel, handle);
    const struct request *request = request_find(*handle);
    if (request == NULL || request->state == REQUEST_INACTIVE)
        return reject(caller, MPI_COMM_WORLD, MPI_ERR_REQUEST, "a request that is not active");
    if (request->state == REQUEST_ACTIVE)
        issue_about(caller, WIRE_CANCEL, *handle);
    return MPI_SUCCESS;
}
