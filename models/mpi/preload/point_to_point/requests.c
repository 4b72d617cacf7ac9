#include "models/mpi/preload/point_to_point/request_table.h"

#include "models/mpi/functions.h"
#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/buffers/buffer_room.h"
#include "models/mpi/preload/buffers/leftovers.h"
#include "models/mpi/preload/buffers/pending_leftovers.h"
#include "models/mpi/preload/collectives/collective_data.h"
#include "models/mpi/preload/datatypes/data.h"
#include "models/mpi/preload/datatypes/type_signatures.h"
#include "models/mpi/preload/error_handlers.h"
#include "models/mpi/preload/mpi_files/mpi_files.h"
#include "models/mpi/preload/point_to_point/hidden_messages.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/own_accesses.h"
#include "models/mpi/preload/windows/window_received.h"
#include "models/mpi/preload/windows/windows.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_HANDLE 0xac000000u /* the form of MPICH's own request handles; it never gives any to the program */

static struct request *table;
static struct buffers_bounds *bounds; /* of what each owns */
static uint32_t slots;
static uint32_t first_unused; /* slot */
static uint32_t used;         /* slots */

/* All of it but MPI_ERROR, which is the last. A status of the program may lie in a window. */
static void require_free_status(MPI_Status *status) {
    if (!own_accesses_any())
        return;
    struct buffers set = {0};
    footprint_add(&set.taken, status, offsetof(MPI_Status, MPI_ERROR), MPI_BYTE);
    own_accesses_require_free(&caller_current, &set);
    buffers_free(&set);
}

void status_set_empty(MPI_Status *status) {
    if (status == MPI_STATUS_IGNORE)
        return;
    require_free_status(status);
    status->MPI_SOURCE = MPI_ANY_SOURCE;
    status->MPI_TAG = MPI_ANY_TAG;
    REAL(Status_set_cancelled)(status, 0);
    REAL(Status_set_elements_x)(status, MPI_BYTE, 0);
}

void status_set_no_process(MPI_Status *status) {
    if (status == MPI_STATUS_IGNORE)
        return;
    status_set_empty(status);
    status->MPI_SOURCE = MPI_PROC_NULL;
}

void status_set_message(MPI_Status *status, const struct communicator *communicator, int source, int tag, uint64_t size) {
    if (status == MPI_STATUS_IGNORE)
        return;
    status_set_empty(status);
    status->MPI_SOURCE = communicator_peer_rank(communicator, source);
    status->MPI_TAG = tag;
    REAL(Status_set_elements_x)(status, MPI_BYTE, (MPI_Count)size);
}

uint32_t request_number(MPI_Request handle) { return (uint32_t)handle - FIRST_HANDLE; }

struct request *request_find(MPI_Request handle) {
    uint32_t slot = request_number(handle);
    return slot < slots && table[slot].state != REQUEST_UNUSED ? &table[slot] : NULL;
}

struct request *request_numbered(uint32_t number) {
    return number < slots ? &table[number] : NULL;
}

struct buffers_bounds *request_bounds(void) {
    return bounds;
}

uint32_t request_slots(void) { return slots; }

uint64_t request_room(const struct request *request) {
    return (uint64_t)request->transfer.count * data_size(request->transfer.type);
}

/* Whenever the rank waits `first_unused` is right: it must tell no more of the past than the table does. */
static void pass_used(void) {
    while (first_unused < slots && table[first_unused].state != REQUEST_UNUSED)
        first_unused++;
}

static void grow(void) {
    uint32_t grown = slots == 0 ? 16 : 2 * slots;
    table = realloc(table, grown * sizeof *table);
    memset(table + slots, 0, (grown - slots) * sizeof *table);
    bounds = realloc(bounds, grown * sizeof *bounds);
    memset(bounds + slots, 0, (grown - slots) * sizeof *bounds);
    slots = grown;
}

/* Handles that are kept side by side get slots of their own, as half of all are unused. */
static uint32_t find_slot(const MPI_Request *kept_at) {
    if (2 * used >= slots)
        grow();
    const uint32_t slot = (uint32_t)((uintptr_t)kept_at / sizeof *kept_at % slots);
    return kept_at && table[slot].state == REQUEST_UNUSED ? slot : first_unused;
}

/* The slot is not unused any more. */
static void use_slot(uint32_t slot, enum request_state state) {
    table[slot].state = state;
    used++;
    pass_used();
}

MPI_Request request_make(const struct caller *caller, const struct transfer *transfer, const MPI_Request *kept_at) {
    const uint32_t slot = find_slot(kept_at);
    struct request *request = &table[slot];
    use_slot(slot, REQUEST_INACTIVE);
    request->transfer = *transfer;
    request->signature = type_signature(transfer->type);
    request->maker = *caller;
    request->transfer.communicator = communicator_hold(transfer->communicator);
    request->transfer.type = data_hold_type(transfer->type);
    return (MPI_Request)(FIRST_HANDLE + slot);
}

uint32_t request_reserve(MPI_Request *handle) {
    const uint32_t slot = find_slot(handle);
    *handle = (MPI_Request)(FIRST_HANDLE + slot);
    return slot;
}

static void own(struct request *request, const struct buffers *buffers) {
    request->buffers = *buffers;
    pending_buffers_own((uint32_t)(request - table));
}

void request_lend(MPI_Request handle, const struct buffers *buffers) { own(request_find(handle), buffers); }

void request_give_back(uint32_t number, uint64_t site) {
    const struct request *request = request_numbered(number);
    if (request != NULL && request->done && request->maker.site == site)
        pending_buffers_release(number);
}

void request_make_collective(MPI_Request handle, struct collective *collective, const struct buffers *buffers) {
    struct request *request = &table[request_number(handle)];
    use_slot(request_number(handle), REQUEST_ACTIVE);
    request->transfer = (struct transfer){.kind = WIRE_COLLECTIVE, .type = MPI_BYTE};
    request->transfer.communicator = communicator_hold(collective->communicator);
    request->maker = collective->caller;
    request->collective = collective;
    own(request, buffers);
}

void request_make_persistent(MPI_Request *handle, struct collective *collective, struct communicator *communicator) {
    const uint32_t slot = request_reserve(handle);
    struct request *request = &table[slot];
    use_slot(slot, REQUEST_INACTIVE);
    request->transfer = (struct transfer){.kind = WIRE_COLLECTIVE, .persistent = true, .type = MPI_BYTE};
    request->transfer.communicator = communicator_hold(communicator);
    request->maker = collective->caller;
    request->collective = collective;
}

MPI_Request request_make_complete(const struct caller *caller, const struct transfer *transfer, const MPI_Status *status,
                                  int error, const MPI_Request *kept_at) {
    MPI_Request handle = request_make(caller, transfer, kept_at);
    struct request *request = request_find(handle);
    request->state = REQUEST_COMPLETE;
    request->status = *status;
    request->error = error;
    return handle;
}

void request_discard(struct request *request) {
    for (int i = 0; i < 2 && request_is_pair(request); i++)
        request_discard(request_find(request->half[i]));
    pending_buffers_release((uint32_t)(request - table));
    if (request->done)
        windows_forget_request((uint32_t)(request - table));
    communicator_release(request->transfer.communicator);
    data_release_type(request->transfer.type);
    if (request->collective != NULL)
        collective_discard(request->collective);
    memset(request, 0, sizeof *request);
    used--;
    if (request - table < first_unused)
        first_unused = (uint32_t)(request - table);
}

/* Of a blocking operation they do not always matter. */
static struct buffers buffers_of(const struct transfer *transfer) {
    struct buffers buffers = {0};
    struct footprint *footprint = transfer->kind == WIRE_SEND ? &buffers.given : &buffers.taken;
    if (!transfer->unowned && (!transfer->blocking || pending_buffers_matter()))
        footprint_add(footprint, transfer->buffer, transfer->count, transfer->type);
    return buffers;
}

MPI_Request request_make_matched(const struct caller *caller, const struct transfer *transfer, struct wire_operation *operation,
                                 const MPI_Request *kept_at) {
    MPI_Request handle = request_make(caller, transfer, kept_at);
    struct request *request = request_find(handle);
    struct buffers buffers = buffers_of(transfer);
    request->state = REQUEST_ACTIVE;
    operation->request = request_number(handle);
    pending_buffers_require_free(caller, &buffers);
    rank_issue(operation);
    own(request, &buffers);
    return handle;
}

MPI_Request request_make_done(const struct caller *caller, struct communicator *hidden, int tag, const MPI_Request *kept_at) {
    const struct transfer transfer = {.kind = WIRE_RECEIVE, .communicator = hidden, .type = MPI_BYTE, .peer = hidden->rank};
    MPI_Request handle = request_make(caller, &transfer, kept_at);
    struct request *request = request_find(handle);
    tag += (int)request_number(handle);
    request->done = true;
    request->transfer.tag = tag;
    request_start(caller, handle);
    hidden_send(caller, hidden->context, rank_number(), tag, 0);
    return handle;
}

static void start_collective(const struct caller *caller, struct request *request) {
    request->state = REQUEST_ACTIVE;
    struct buffers buffers = collective_start(request->collective, caller, (uint32_t)(request - table));
    own(request, &buffers);
}

void request_start(const struct caller *caller, MPI_Request handle) {
    struct request *request = request_find(handle);
    if (request->collective != NULL) {
        start_collective(caller, request);
        return;
    }
    const struct transfer *transfer = &request->transfer;
    if (transfer->peer == MPI_PROC_NULL) {
        status_set_no_process(&request->status);
        request->state = REQUEST_COMPLETE;
        return;
    }
    bool sends = transfer->kind == WIRE_SEND;
    const struct communicator *communicator = transfer->communicator;
    uint8_t receive_mode = errors_are_fatal(communicator->handle) ? WIRE_FATAL_ERRORS : WIRE_HANDLED_ERRORS;
    struct wire_operation operation = {
        .kind = transfer->kind,
        .mode = sends ? transfer->mode : receive_mode,
        .function = caller->function,
        .request = request_number(handle),
        .context = communicator->context,
        .peer = transfer->peer == MPI_ANY_SOURCE ? WIRE_ANY_SOURCE : communicator_peer(communicator, transfer->peer),
        .tag = transfer->tag == MPI_ANY_TAG ? WIRE_ANY_TAG : transfer->tag,
        .capacity = sends ? bsend_take_room(transfer) : (uint64_t)transfer->count * data_size(transfer->type),
        .agreement = request->signature,
        .site = caller->site,
        .parts = sends ? 1 : 0,
    };
    request->state = REQUEST_ACTIVE;
    struct buffers buffers = buffers_of(transfer);
    pending_buffers_require_free(caller, &buffers);
    rank_issue(&operation);
    if (sends)
        data_add_part(transfer->buffer, transfer->count, transfer->type);
    if (transfer->blocking)
        buffers_free(&buffers);
    else
        own(request, &buffers);
}

MPI_Request request_make_pair(const struct caller *caller, const struct transfer *send, const struct transfer *receive,
                              const MPI_Request *kept_at) {
    MPI_Request handle = request_make(caller, receive, kept_at);
    request_find(handle)->state = REQUEST_ACTIVE;
    const MPI_Request half[2] = {request_make(caller, receive, NULL), request_make(caller, send, NULL)};
    for (int i = 1; i >= 0; i--) { /* the send takes its data before the receive owns the buffer */
        request_find(half[i])->is_half = true;
        request_start(caller, half[i]);
        request_find(handle)->half[i] = half[i];
    }
    request_settle_pair(request_find(handle));
    return handle;
}

/* It tells what its receive does. */
void request_settle_pair(struct request *request) {
    const struct request *receive = request_find(request->half[0]);
    if (receive->state != REQUEST_COMPLETE || request_find(request->half[1])->state != REQUEST_COMPLETE)
        return;
    request->state = REQUEST_COMPLETE;
    request->status = receive->status;
    request->error = receive->error;
}

static void take_parts(const struct collective *collective, const struct wire_completion *completion) {
    struct collective_answer answer = {.first = rank_completion_next(completion), .count = completion->parts};
    if (collective->take != NULL)
        collective->take(collective, &answer);
}

void request_complete(struct request *request, const struct wire_completion *completion) {
    const struct transfer *transfer = &request->transfer;
    leftovers_overwrite(request, completion);
    request->state = REQUEST_COMPLETE;
    pending_buffers_release((uint32_t)(request - table));
    status_set_empty(&request->status);
    REAL(Status_set_elements_x)(&request->status, MPI_BYTE, (MPI_Count)request->file_bytes);
    if (completion->cancelled) {
        REAL(Status_set_cancelled)(&request->status, 1);
        return;
    }
    if (request->collective != NULL)
        take_parts(request->collective, completion);
    if (transfer->kind != WIRE_RECEIVE || request->done)
        return;
    /* A longer message only arrives where the program handles errors. */
    uint64_t room = request_room(request);
    uint64_t size = completion->data < room ? completion->data : room;
    request->error = size < completion->data ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
    require_room_for(&request->maker, transfer->buffer, size, transfer->type);
    data_unpack(transfer->buffer, transfer->type, rank_completion_data(completion), size);
    windows_note_received(transfer->buffer, transfer->type, size);
    status_set_message(&request->status, transfer->communicator, completion->source, completion->tag, size);
}

/* Statuses keep their MPI_ERROR: only functions that return MPI_ERR_IN_STATUS set it. */
static void give_status(MPI_Status *status, const MPI_Status *given) {
    if (status == MPI_STATUS_IGNORE)
        return;
    require_free_status(status);
    int kept = status->MPI_ERROR;
    *status = *given;
    status->MPI_ERROR = kept;
}

int request_show(MPI_Request handle, MPI_Status *status) {
    const struct request *request = request_find(handle);
    MPI_Status shown = request->status;
    int error = request->generalized == NULL ? MPI_SUCCESS : generalized_query(handle, &shown);
    give_status(status, &shown);
    return error;
}

static int report_generalized(MPI_Request *handle, MPI_Status *status) {
    MPI_Status asked = {0};
    int error = generalized_query(*handle, &asked);
    int freeing = generalized_release(*handle);
    give_status(status, &asked);
    *handle = MPI_REQUEST_NULL;
    return error == MPI_SUCCESS ? freeing : error;
}

static void make_inactive(struct request *request) {
    request->state = REQUEST_INACTIVE;
    request->error = MPI_SUCCESS;
    memset(&request->status, 0, sizeof request->status);
}

int request_report(MPI_Request *handle, MPI_Status *status) {
    struct request *request = request_find(*handle);
    if (request->generalized != NULL)
        return report_generalized(handle, status);
    int error = request->error;
    pending_buffers_check_given((uint32_t)(request - table));
    give_status(status, &request->status);
    if (request->transfer.persistent) {
        make_inactive(request);
    } else {
        request_discard(request);
        *handle = MPI_REQUEST_NULL;
    }
    return error;
}

static void add_inactive(const struct request *request, struct rank_leaks *leaks) {
    if (leaks->handles++ > 0)
        return;
    leaks->handle_site = request->maker.site;
    leaks->handle_function = request->maker.function;
    strncpy(leaks->handle_kind, "a persistent request", sizeof leaks->handle_kind - 1);
}

static void add_active(const struct request *request, struct rank_leaks *leaks) {
    if (leaks->requests++ > 0)
        return;
    leaks->request_site = request->maker.site;
    leaks->request_function = request->maker.function;
}

void requests_leaked(struct rank_leaks *leaks) {
    for (uint32_t slot = 0; slot < slots; slot++) {
        const struct request *request = &table[slot];
        bool freed = request->is_half || (request->generalized != NULL && request->generalized->freed);
        if (request->state == REQUEST_INACTIVE)
            add_inactive(request, leaks);
        else if (request->state != REQUEST_UNUSED && !freed)
            add_active(request, leaks);
    }
}
static int check_inactive(const struct caller *caller, MPI_Request handle) {
    const struct request *request = request_find(handle);
    if (request == NULL || !request->transfer.persistent)
        return reject(caller, MPI_COMM_WORLD, MPI_ERR_REQUEST, "a request that is not persistent");
    if (request->state != REQUEST_INACTIVE)
        return reject(caller, request->transfer.communicator->handle, MPI_ERR_REQUEST, "a request that is still active");
    return MPI_SUCCESS;
}

EXPORT(Start)
int MPI_Start(MPI_Request *handle) {
    ENTER(Start, handle);
    pending_leftovers_note_read(handle, sizeof *handle);
    int error = check_inactive(caller, *handle);
    if (error == MPI_SUCCESS)
        request_start(caller, *handle);
    return error;
}

EXPORT(Startall)
int MPI_Startall(int count, MPI_Request handles[]) {
    ENTER(Startall, count, handles);
    int error = check_count(caller, MPI_COMM_WORLD, count);
    if (error == MPI_SUCCESS)
        pending_leftovers_note_read(handles, (size_t)count * sizeof *handles);
    for (int i = 0; i < count && error == MPI_SUCCESS; i++) {
        error = check_inactive(caller, handles[i]);
        if (error == MPI_SUCCESS)
            request_start(caller, handles[i]);
    }
    return error;
}

static void issue_about(const struct caller *caller, uint8_t kind, MPI_Request handle) {
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

static void free_active(const struct caller *caller, MPI_Request handle) {
    struct request *request = request_find(handle);
    if (request->state != REQUEST_ACTIVE)
        return;
    leftovers_let_go(request);
    if (!request_is_pair(request)) {
        issue_about(caller, WIRE_FREE, handle);
        return;
    }
    const MPI_Request half[2] = {request->half[0], request->half[1]};
    free_active(caller, half[0]);
    free_active(caller, half[1]);
}

/* It must be completed by a wait or test (MPI-3.1 section 5.12). */
static int reject_collective(const struct caller *caller, const struct request *request) {
    return reject(caller, request->transfer.communicator->handle, MPI_ERR_REQUEST,
                  "the request of a collective that is not complete (%s)", function_name(request->maker.function));
}

/* MPI-3.1 section 11.3.5: neither MPI_Request_free nor MPI_Cancel. */
static int reject_access(const struct caller *caller, const struct request *request) {
    return reject(caller, request->transfer.communicator->handle, MPI_ERR_REQUEST, "the request of an access to a window (%s)",
                  function_name(request->maker.function));
}

EXPORT(Request_free)
int MPI_Request_free(MPI_Request *handle) {
    ENTER(Request_free, handle);
    pending_leftovers_note_read(handle, sizeof *handle);
    struct request *request = request_find(*handle);
    if (request == NULL)
        return reject(caller, MPI_COMM_WORLD, MPI_ERR_REQUEST, "MPI_REQUEST_NULL or a request that does not exist");
    if (request->collective != NULL && request->state != REQUEST_INACTIVE)
        return reject_collective(caller, request);
    if (request->of_window)
        return reject_access(caller, request);
    MPI_Request freed = *handle;
    *handle = MPI_REQUEST_NULL;
    if (request->generalized != NULL)
        return generalized_free(freed);
    if (request->file != 0)
        file_note_freed(request->file, &request->maker);
    free_active(caller, freed);
    request_discard(request);
    return MPI_SUCCESS;
}

EXPORT(Cancel)
int MPI_Cancel(MPI_Request *handle) {
    ENTER(Cancel, handle);
    pending_leftovers_note_read(handle, sizeof *handle);
    const struct request *request = request_find(*handle);
    if (request == NULL || request->state == REQUEST_INACTIVE)
        return reject(caller, MPI_COMM_WORLD, MPI_ERR_REQUEST, "a request that is not active");
    if (request->generalized != NULL)
        return generalized_cancel(*handle);
    if (request->collective != NULL)
        return reject_collective(caller, request);
    if (request->of_window)
        return reject_access(caller, request);
    if (request_is_pair(request) || request->file != 0)
        rank_refuse(caller->function, caller->site, "MPI_Cancel of the request of %s is not supported",
                    function_name(request->maker.function));
    if (request->state == REQUEST_ACTIVE)
        issue_about(caller, WIRE_CANCEL, *handle);
    return MPI_SUCCESS;
}
