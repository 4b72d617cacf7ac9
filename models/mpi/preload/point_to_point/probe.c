/* Probes, and messages claimed by matched probes. A claimed message's bytes come with the probe and wait in a table for
 * MPI_Mrecv or MPI_Imrecv. */
#include "models/mpi/functions.h"
#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/buffers/buffer_room.h"
#include "models/mpi/preload/buffers/leftovers.h"
#include "models/mpi/preload/datatypes/data.h"
#include "models/mpi/preload/datatypes/type_signatures.h"
#include "models/mpi/preload/error_handlers.h"
#include "models/mpi/preload/point_to_point/requests.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/window_received.h"
#include "models/mpi/preload/windows/window_unseen.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_HANDLE 0xac800000u /* apart from request handles */

struct message {
    struct communicator *communicator; /* NULL: slot unused */
    int source;                        /* rank in MPI_COMM_WORLD */
    int tag;
    uint64_t claim;
    uint64_t size;
    void *bytes;
};

static struct message *table;
static uint32_t slots;

static struct message *find(MPI_Message handle) {
    uint32_t slot = (uint32_t)handle - FIRST_HANDLE;
    return slot < slots && table[slot].communicator != NULL ? &table[slot] : NULL;
}

static MPI_Message keep(struct communicator *communicator, const struct wire_completion *completion) {
    uint32_t slot = 0;
    while (slot < slots && table[slot].communicator != NULL)
        slot++;
    if (slot == slots)
        table = realloc(table, ++slots * sizeof *table);
    void *bytes = malloc(completion->data + 1);
    memcpy(bytes, rank_completion_data(completion), completion->data);
    table[slot] = (struct message){
        .communicator = communicator_hold(communicator),
        .source = completion->source,
        .tag = completion->tag,
        .claim = completion->claim,
        .size = completion->data,
        .bytes = bytes,
    };
    return (MPI_Message)(FIRST_HANDLE + slot);
}

static void discard(struct message *message) {
    free(message->bytes);
    communicator_release(message->communicator);
    memset(message, 0, sizeof *message);
}

/* The common part of all four. *found is NULL if the answer is "not yet" or the source is MPI_PROC_NULL. */
struct probe {
    int *to_set; /* what the call will set to the flag; may be NULL */
    struct communicator *communicator;
    bool flag;
    const struct wire_completion *found;
};

static int run(const struct caller *caller, uint8_t kind, int source, int tag, MPI_Comm handle, MPI_Status *status,
               struct probe *probe) {
    *probe = (struct probe){.to_set = probe->to_set, .flag = true};
    int error = check_communicator(caller, handle, &probe->communicator);
    if (error == MPI_SUCCESS)
        error = check_receive_peer(caller, probe->communicator, source, tag);
    if (error != MPI_SUCCESS)
        return error;
    if (source == MPI_PROC_NULL) {
        status_set_no_process(status);
        return MPI_SUCCESS;
    }
    struct wire_call call = {
        .kind = kind,
        .function = caller->function,
        .context = probe->communicator->context,
        .peer = source == MPI_ANY_SOURCE ? WIRE_ANY_SOURCE : communicator_peer(probe->communicator, source),
        .tag = tag == MPI_ANY_TAG ? WIRE_ANY_TAG : tag,
        .site = caller->site,
    };
    unseen_note_statuses(status, 1);
    if (kind == WIRE_CALL_PROBE || kind == WIRE_CALL_MPROBE)
        leftovers_forget_statuses(status, 1);
    if (probe->to_set != NULL)
        leftovers_forget_number(probe->to_set);
    const struct wire_resolution *answer = rank_block(&call, NULL);
    probe->flag = answer->kind == WIRE_FOUND;
    if (!probe->flag)
        return MPI_SUCCESS;
    probe->found = rank_completion(answer, 0);
    status_set_message(status, probe->communicator, probe->found->source, probe->found->tag, probe->found->size);
    return MPI_SUCCESS;
}

EXPORT(Probe)
int MPI_Probe(int source, int tag, MPI_Comm communicator, MPI_Status *status) {
    ENTER(Probe, source, tag, communicator, status);
    struct probe probe = {0};
    return run(caller, WIRE_CALL_PROBE, source, tag, communicator, status, &probe);
}

EXPORT(Iprobe)
int MPI_Iprobe(int source, int tag, MPI_Comm communicator, int *flag, MPI_Status *status) {
    ENTER(Iprobe, source, tag, communicator, flag, status);
    struct probe probe = {.to_set = flag};
    int error = run(caller, WIRE_CALL_IPROBE, source, tag, communicator, status, &probe);
    if (error == MPI_SUCCESS)
        *flag = probe.flag;
    return error;
}

static MPI_Message message_of(const struct probe *probe) {
    return probe->found == NULL ? MPI_MESSAGE_NO_PROC : keep(probe->communicator, probe->found);
}

EXPORT(Mprobe)
int MPI_Mprobe(int source, int tag, MPI_Comm communicator, MPI_Message *message, MPI_Status *status) {
    ENTER(Mprobe, source, tag, communicator, message, status);
    struct probe probe = {0};
    int error = run(caller, WIRE_CALL_MPROBE, source, tag, communicator, status, &probe);
    if (error == MPI_SUCCESS)
        *message = message_of(&probe);
    return error;
}

EXPORT(Improbe)
int MPI_Improbe(int source, int tag, MPI_Comm communicator, int *flag, MPI_Message *message, MPI_Status *status) {
    ENTER(Improbe, source, tag, communicator, flag, message, status);
    struct probe probe = {.to_set = flag};
    int error = run(caller, WIRE_CALL_IMPROBE, source, tag, communicator, status, &probe);
    if (error != MPI_SUCCESS)
        return error;
    *flag = probe.flag;
    if (probe.flag)
        *message = message_of(&probe);
    return MPI_SUCCESS;
}

static struct wire_operation receiving(const struct caller *caller, const struct message *message, MPI_Datatype type) {
    return (struct wire_operation){
        .kind = WIRE_RECEIVE_MESSAGE,
        .function = caller->function,
        .request = WIRE_NO_REQUEST,
        .context = message->communicator->context,
        .peer = message->source,
        .tag = message->tag,
        .capacity = message->claim,
        .agreement = type_signature(type),
        .site = caller->site,
    };
}

/* Takes the message of the handle, *message: NULL if that is MPI_MESSAGE_NO_PROC. `transfer`'s communicator is filled in. */
static int take(const struct caller *caller, struct transfer *transfer, MPI_Message *handle, struct message **message) {
    transfer->communicator = communicator_find(MPI_COMM_WORLD);
    *message = find(*handle);
    if (*message == NULL && *handle != MPI_MESSAGE_NO_PROC)
        return reject(caller, MPI_COMM_WORLD, MPI_ERR_REQUEST, "a message that does not exist or was received");
    if (*message != NULL)
        transfer->communicator = (*message)->communicator;
    int error = check_data(caller, transfer->communicator, transfer->buffer, transfer->count, transfer->type);
    if (error != MPI_SUCCESS)
        return error;
    *handle = MPI_MESSAGE_NULL;
    uint64_t capacity = (uint64_t)transfer->count * data_size(transfer->type);
    if (*message != NULL && (*message)->size > capacity && errors_are_fatal((*message)->communicator->handle))
        rank_violation("truncation", caller->function, caller->site,
                       "%s receives a message of %llu bytes from rank %d into a buffer of %llu bytes",
                       function_name(caller->function), (unsigned long long)(*message)->size, (*message)->source,
                       (unsigned long long)capacity);
    return MPI_SUCCESS;
}

static int receive(const struct caller *caller, struct transfer *transfer, MPI_Message *handle, MPI_Status *status) {
    struct message *message;
    int error = take(caller, transfer, handle, &message);
    if (error != MPI_SUCCESS)
        return error;
    status_set_no_process(status);
    if (message == NULL)
        return MPI_SUCCESS;
    const struct wire_operation operation = receiving(caller, message, transfer->type);
    rank_issue(&operation);
    uint64_t capacity = (uint64_t)transfer->count * data_size(transfer->type);
    uint64_t size = message->size < capacity ? message->size : capacity;
    require_room_for(caller, transfer->buffer, size, transfer->type);
    data_unpack(transfer->buffer, transfer->type, message->bytes, size);
    windows_note_received(transfer->buffer, transfer->type, size);
    status_set_message(status, message->communicator, message->source, message->tag, size);
    bool whole = size == message->size;
    MPI_Comm communicator = message->communicator->handle;
    discard(message);
    return whole ? MPI_SUCCESS : errors_handle(communicator, MPI_ERR_TRUNCATE);
}

/* The message is here, but not yet in the buffer: the explorer brings its bytes once more when it says that the request is
 * complete, which a test may yet deny. */
static int receive_later(const struct caller *caller, struct transfer *transfer, MPI_Message *handle, MPI_Request *request) {
    struct message *message;
    int error = take(caller, transfer, handle, &message);
    if (error != MPI_SUCCESS)
        return error;
    if (message == NULL) {
        MPI_Status status = {0};
        status_set_no_process(&status);
        *request = request_make_complete(caller, transfer, &status, MPI_SUCCESS, request);
        return MPI_SUCCESS;
    }
    struct wire_operation operation = receiving(caller, message, transfer->type);
    *request = request_make_matched(caller, transfer, &operation, request);
    discard(message);
    return MPI_SUCCESS;
}

#define MATCHED_RECEIVES(suffix, number)                                                                               \
    EXPORT(Mrecv##suffix)                                                                                              \
    int MPI_Mrecv##suffix(void *buffer, number count, MPI_Datatype type, MPI_Message *handle, MPI_Status *status) {    \
        ENTER(Mrecv##suffix, buffer, count, type, handle, status);                                                     \
        struct transfer transfer = {.kind = WIRE_RECEIVE, .buffer = buffer, .count = count, .type = type};             \
        return receive(caller, &transfer, handle, status);                                                             \
    }                                                                                                                  \
    EXPORT(Imrecv##suffix)                                                                                             \
    int MPI_Imrecv##suffix(void *buffer, number count, MPI_Datatype type, MPI_Message *handle, MPI_Request *request) { \
        ENTER(Imrecv##suffix, buffer, count, type, handle, request);                                                   \
        struct transfer transfer = {.kind = WIRE_RECEIVE, .buffer = buffer, .count = count, .type = type};             \
        return receive_later(caller, &transfer, handle, request);                                                      \
    }

MATCHED_RECEIVES(, int)
MATCHED_RECEIVES(_c, MPI_Count)
