/* Sends and receives: blocking, nonblocking and persistent, in all modes. A blocking one is a request that is waited for at
 * once. */
#include "models/mpi/functions.h"
#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/buffers/buffer_room.h"
#include "models/mpi/preload/buffers/disjoint_buffers.h"
#include "models/mpi/preload/buffers/leftovers.h"
#include "models/mpi/preload/buffers/pending_buffers.h"
#include "models/mpi/preload/datatypes/data.h"
#include "models/mpi/preload/datatypes/type_signatures.h"
#include "models/mpi/preload/error_handlers.h"
#include "models/mpi/preload/memory/lent_memory.h"
#include "models/mpi/preload/point_to_point/requests.h"
#include "models/mpi/preload/rank.h"

/* The buffer given to MPI_Buffer_attach. Never written to: buffered messages are kept by the explorer. */
static struct {
    void *address;
    MPI_Count size;
    MPI_Count taken; /* by messages since it was attached, as if none had been received yet; 0 where room is told of */
    int messages;    /* that have */
    bool attached;
    struct lent_memory memory;
} bsend_buffer;

_Static_assert(MPI_BSEND_OVERHEAD == WIRE_BSEND_OVERHEAD, "known to the explorer");

static uint64_t attached_room(void) { return bsend_buffer.attached ? (uint64_t)bsend_buffer.size : 0; }

static MPI_Count room_needed(const struct transfer *transfer) {
    return transfer->count * (MPI_Count)data_size(transfer->type) + MPI_BSEND_OVERHEAD;
}

/* Whether messages have been received makes no difference as long as there is room for all. Once there is not, it does for those sent
 * before as well, so that the explorer starts over and is told of all. */
static bool is_room_told(void) { return !leftovers_any_forgotten() || leftovers_kept(WIRE_ROOM_SITE, KEPT_ALWAYS); }

/* What is counted tells rounds of a loop apart that else were the same, so that it ends soon. */
static void take_room(const struct transfer *transfer) {
    enum { COUNTED_MOST = 32 };
    bsend_buffer.taken += room_needed(transfer);
    if (bsend_buffer.taken > bsend_buffer.size || ++bsend_buffer.messages > COUNTED_MOST)
        rank_want_kept(WIRE_ROOM_SITE, KEPT_ALWAYS);
}

uint64_t bsend_take_room(const struct transfer *transfer) {
    const bool fits = transfer->mode == WIRE_BUFFERED && !is_room_told();
    if (fits)
        take_room(transfer);
    return errors_are_fatal(transfer->communicator->handle) && !fits ? attached_room() : 0;
}

/* What could never fit. Whether there is room beside earlier messages only the explorer knows. */
static int check_buffered(const struct caller *caller, const struct transfer *transfer) {
    if (transfer->mode != WIRE_BUFFERED || transfer->peer == MPI_PROC_NULL)
        return MPI_SUCCESS;
    lent_memory_require(caller, &bsend_buffer.memory, "buffer");
    const size_t needed = (size_t)room_needed(transfer);
    if (needed <= attached_room())
        return MPI_SUCCESS;
    if (!bsend_buffer.attached)
        return reject(caller, transfer->communicator->handle, MPI_ERR_BUFFER, "no buffer attached");
    return reject(caller, transfer->communicator->handle, MPI_ERR_BUFFER,
                  "a message that needs %zu bytes of the attached buffer, which has %zu", needed, (size_t)attached_room());
}

/* MPI-3.1 section 4.1.11 */
static int check_received_type(const struct caller *caller, const struct transfer *transfer) {
    const struct block taken = {transfer->buffer, transfer->count, transfer->type};
    return check_received(caller, transfer->communicator, &taken);
}

int check_transfer(const struct caller *caller, MPI_Comm handle, struct transfer *transfer) {
    int error = check_communicator(caller, handle, &transfer->communicator);
    if (error != MPI_SUCCESS)
        return error;
    error = check_data(caller, transfer->communicator, transfer->buffer, transfer->count, transfer->type);
    if (error != MPI_SUCCESS)
        return error;
    if (transfer->kind == WIRE_RECEIVE) {
        error = check_received_type(caller, transfer);
        return error != MPI_SUCCESS ? error : check_receive_peer(caller, transfer->communicator, transfer->peer, transfer->tag);
    }
    error = check_send_peer(caller, transfer->communicator, transfer->peer, transfer->tag);
    if (error == MPI_SUCCESS && transfer->peer != MPI_PROC_NULL)
        require_room(caller, transfer->buffer, transfer->count, transfer->type);
    return error == MPI_SUCCESS ? check_buffered(caller, transfer) : error;
}

static int make(const struct caller *caller, MPI_Comm handle, struct transfer *transfer, MPI_Request *request) {
    int error = check_transfer(caller, handle, transfer);
    if (error == MPI_SUCCESS)
        *request = request_make(caller, transfer, transfer->blocking ? NULL : request);
    return error;
}

static int make_and_start(const struct caller *caller, MPI_Comm handle, struct transfer *transfer, MPI_Request *request) {
    int error = make(caller, handle, transfer, request);
    if (error == MPI_SUCCESS)
        request_start(caller, *request);
    return error;
}

static int run(const struct caller *caller, MPI_Comm handle, struct transfer *transfer, MPI_Status *status) {
    MPI_Request request;
    transfer->blocking = true;
    int error = make_and_start(caller, handle, transfer, &request);
    return error == MPI_SUCCESS ? request_wait(caller, &request, status) : error;
}

#define SEND_TRANSFER(send_mode, is_persistent)                                                                          \
    {                                                                                                                    \
        .kind = WIRE_SEND, .mode = (send_mode), .persistent = (is_persistent), .buffer = (void *)buffer, .count = count, \
        .type = type, .peer = destination, .tag = tag                                                                    \
    }

#define RECEIVE_TRANSFER(is_persistent)                                                                                      \
    {                                                                                                                        \
        .kind = WIRE_RECEIVE, .persistent = (is_persistent), .buffer = buffer, .count = count, .type = type, .peer = source, \
        .tag = tag                                                                                                           \
    }

/* Each has a form for large counts, which differs in the type of its counts. */
#define BLOCKING_SEND(name, mode)       \
    BLOCKING_SEND_FORM(name, int, mode) \
    BLOCKING_SEND_FORM(name##_c, MPI_Count, mode)
#define BLOCKING_SEND_FORM(name, number, mode)                                                                             \
    EXPORT(name)                                                                                                           \
    int MPI_##name(const void *buffer, number count, MPI_Datatype type, int destination, int tag, MPI_Comm communicator) { \
        ENTER(name, buffer, count, type, destination, tag, communicator);                                                  \
        struct transfer transfer = SEND_TRANSFER(mode, false);                                                             \
        return run(caller, communicator, &transfer, MPI_STATUS_IGNORE);                                                    \
    }

BLOCKING_SEND(Send, WIRE_STANDARD)
BLOCKING_SEND(Ssend, WIRE_SYNCHRONOUS)
BLOCKING_SEND(Rsend, WIRE_READY)

#define NONBLOCKING_SEND(name, mode)       \
    NONBLOCKING_SEND_FORM(name, int, mode) \
    NONBLOCKING_SEND_FORM(name##_c, MPI_Count, mode)
#define NONBLOCKING_SEND_FORM(name, number, mode)                                                                        \
    EXPORT(name)                                                                                                         \
    int MPI_##name(const void *buffer, number count, MPI_Datatype type, int destination, int tag, MPI_Comm communicator, \
                   MPI_Request *request) {                                                                               \
        ENTER(name, buffer, count, type, destination, tag, communicator, request);                                       \
        struct transfer transfer = SEND_TRANSFER(mode, false);                                                           \
        return make_and_start(caller, communicator, &transfer, request);                                                 \
    }

NONBLOCKING_SEND(Isend, WIRE_STANDARD)
NONBLOCKING_SEND(Ibsend, WIRE_BUFFERED)
NONBLOCKING_SEND(Issend, WIRE_SYNCHRONOUS)
NONBLOCKING_SEND(Irsend, WIRE_READY)

#define PERSISTENT_SEND(name, mode)       \
    PERSISTENT_SEND_FORM(name, int, mode) \
    PERSISTENT_SEND_FORM(name##_c, MPI_Count, mode)
#define PERSISTENT_SEND_FORM(name, number, mode)                                                                         \
    EXPORT(name)                                                                                                         \
    int MPI_##name(const void *buffer, number count, MPI_Datatype type, int destination, int tag, MPI_Comm communicator, \
                   MPI_Request *request) {                                                                               \
        ENTER(name, buffer, count, type, destination, tag, communicator, request);                                       \
        struct transfer transfer = SEND_TRANSFER(mode, true);                                                            \
        return make(caller, communicator, &transfer, request);                                                           \
    }

PERSISTENT_SEND(Send_init, WIRE_STANDARD)
PERSISTENT_SEND(Bsend_init, WIRE_BUFFERED)
PERSISTENT_SEND(Ssend_init, WIRE_SYNCHRONOUS)
PERSISTENT_SEND(Rsend_init, WIRE_READY)

/* Complete at once, so not a step of its own: nobody waits for it. */
static int send_buffered(const struct caller *caller, MPI_Comm communicator, struct transfer *transfer) {
    int error = check_transfer(caller, communicator, transfer);
    if (error != MPI_SUCCESS || transfer->peer == MPI_PROC_NULL)
        return error;
    struct wire_operation operation = {
        .kind = WIRE_SEND,
        .mode = WIRE_BUFFERED,
        .function = caller->function,
        .request = WIRE_NO_REQUEST,
        .context = transfer->communicator->context,
        .peer = communicator_peer(transfer->communicator, transfer->peer),
        .tag = transfer->tag,
        .capacity = bsend_take_room(transfer),
        .agreement = type_signature(transfer->type),
        .site = caller->site,
        .parts = 1,
    };
    pending_buffers_require_free_send(caller, transfer->buffer, transfer->count, transfer->type);
    rank_issue(&operation);
    data_add_part(transfer->buffer, transfer->count, transfer->type);
    return MPI_SUCCESS;
}

#define BUFFERED_SEND(name, number)                                                                                        \
    EXPORT(name)                                                                                                           \
    int MPI_##name(const void *buffer, number count, MPI_Datatype type, int destination, int tag, MPI_Comm communicator) { \
        ENTER(name, buffer, count, type, destination, tag, communicator);                                                  \
        struct transfer transfer = SEND_TRANSFER(WIRE_BUFFERED, false);                                                    \
        return send_buffered(caller, communicator, &transfer);                                                             \
    }

BUFFERED_SEND(Bsend, int)
BUFFERED_SEND(Bsend_c, MPI_Count)

#define RECEIVES(suffix, number)                                                                                         \
    EXPORT(Recv##suffix)                                                                                                 \
    int MPI_Recv##suffix(void *buffer, number count, MPI_Datatype type, int source, int tag, MPI_Comm communicator,      \
                         MPI_Status *status) {                                                                           \
        ENTER(Recv##suffix, buffer, count, type, source, tag, communicator, status);                                     \
        struct transfer transfer = RECEIVE_TRANSFER(false);                                                              \
        return run(caller, communicator, &transfer, status);                                                             \
    }                                                                                                                    \
    EXPORT(Irecv##suffix)                                                                                                \
    int MPI_Irecv##suffix(void *buffer, number count, MPI_Datatype type, int source, int tag, MPI_Comm communicator,     \
                          MPI_Request *request) {                                                                        \
        ENTER(Irecv##suffix, buffer, count, type, source, tag, communicator, request);                                   \
        struct transfer transfer = RECEIVE_TRANSFER(false);                                                              \
        return make_and_start(caller, communicator, &transfer, request);                                                 \
    }                                                                                                                    \
    EXPORT(Recv_init##suffix)                                                                                            \
    int MPI_Recv_init##suffix(void *buffer, number count, MPI_Datatype type, int source, int tag, MPI_Comm communicator, \
                              MPI_Request *request) {                                                                    \
        ENTER(Recv_init##suffix, buffer, count, type, source, tag, communicator, request);                               \
        struct transfer transfer = RECEIVE_TRANSFER(true);                                                               \
        return make(caller, communicator, &transfer, request);                                                           \
    }

RECEIVES(, int)
RECEIVES(_c, MPI_Count)

static int attach(const struct caller *caller, void *buffer, MPI_Count size) {
    if (size < 0)
        return reject(caller, MPI_COMM_WORLD, MPI_ERR_ARG, "a negative size (%lld)", (long long)size);
    if (buffer == NULL && size > 0)
        return reject(caller, MPI_COMM_WORLD, MPI_ERR_BUFFER, "a null buffer of %lld bytes", (long long)size);
    if (bsend_buffer.attached)
        return reject(caller, MPI_COMM_WORLD, MPI_ERR_BUFFER, "a second buffer while one is attached");
    require_room(caller, buffer, size, MPI_BYTE);
    bsend_buffer.address = buffer;
    bsend_buffer.size = size;
    bsend_buffer.attached = true;
    lent_memory_begin(&bsend_buffer.memory, caller, buffer, (size_t)size);
    return MPI_SUCCESS;
}

/* Blocks until buffered messages have been transmitted: received, or taken by the network, which decides that itself. */
static int detach(const struct caller *caller, void *buffer, MPI_Count *size) {
    if (!bsend_buffer.attached)
        return reject(caller, MPI_COMM_WORLD, MPI_ERR_BUFFER, "no buffer attached");
    lent_memory_require(caller, &bsend_buffer.memory, "buffer");
    struct wire_call call = {
        .kind = WIRE_CALL_DETACH,
        .function = caller->function,
        .context = WIRE_WORLD_CONTEXT,
        .peer = -1,
        .site = caller->site,
    };
    rank_block(&call, NULL);
    *(void **)buffer = bsend_buffer.address;
    *size = bsend_buffer.size;
    bsend_buffer.address = NULL;
    bsend_buffer.size = bsend_buffer.taken = 0;
    bsend_buffer.messages = 0;
    bsend_buffer.attached = false;
    lent_memory_end(&bsend_buffer.memory);
    return MPI_SUCCESS;
}

EXPORT(Buffer_attach)
int MPI_Buffer_attach(void *buffer, int size) {
    ENTER(Buffer_attach, buffer, size);
    return attach(caller, buffer, size);
}

EXPORT(Buffer_attach_c)
int MPI_Buffer_attach_c(void *buffer, MPI_Count size) {
    ENTER(Buffer_attach_c, buffer, size);
    return attach(caller, buffer, size);
}

EXPORT(Buffer_detach)
int MPI_Buffer_detach(void *buffer, int *size) {
    ENTER(Buffer_detach, buffer, size);
    MPI_Count attached = 0;
    int error = detach(caller, buffer, &attached);
    if (error == MPI_SUCCESS)
        *size = (int)attached;
    return error;
}

EXPORT(Buffer_detach_c)
int MPI_Buffer_detach_c(void *buffer, MPI_Count *size) {
    ENTER(Buffer_detach_c, buffer, size);
    return detach(caller, buffer, size);
}
