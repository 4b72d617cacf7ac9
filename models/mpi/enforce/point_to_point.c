/* Sends and receives. A blocking one is a nonblocking one that is waited for; so is each start of a persistent one, whose own
 * request only serves as its name. */
#include "models/mpi/enforce/enforce.h"

#include <limits.h>
#include <stdlib.h>

/* --- receives ------------------------------------------------------------------------------------------------------------ */

static int post(const struct transfer *transfer, int source, MPI_Request *request) {
    return REAL(Irecv)((void *)transfer->buffer, transfer->count, transfer->type, source, transfer->tag, transfer->communicator,
                       request);
}

static int no_process(MPI_Request *request) {
    int result = enforce_complete_request(true, request);
    if (result == MPI_SUCCESS)
        tracked_add(*request)->complete = true;
    return result;
}

static int record_receive(const struct transfer *transfer, MPI_Request *request) {
    bool wildcard = transfer->peer == MPI_ANY_SOURCE;
    int32_t source = wildcard ? 0 : enforce_world_rank(transfer->communicator, transfer->peer);
    size_t choice = enforce_record(CHOICE_RECEIVE, wildcard ? WORD_NONE : WORD_NOTHING, &source, !wildcard);
    int result = post(transfer, transfer->peer, request);
    if (result != MPI_SUCCESS)
        return result;
    struct tracked *tracked = tracked_add(*request);
    tracked->receives = true;
    tracked->wildcard = wildcard;
    tracked->choice = choice;
    tracked->transfer = *transfer;
    return result;
}

int enforce_receive(const struct transfer *transfer, MPI_Request *request) {
    if (transfer->peer == MPI_PROC_NULL)
        return no_process(request);
    if (!enforce_has_rank(transfer->communicator, transfer->peer))
        return post(transfer, transfer->peer, request);
    if (enforce_records())
        return record_receive(transfer, request);
    const struct choice_made *choice = enforce_choice(CHOICE_RECEIVE);
    if (!choice)
        return post(transfer, transfer->peer, request);
    if (choice->word)
        return enforce_idle_request(request);
    int source = enforce_local_rank(transfer->communicator, choice->number[0]);
    if (transfer->peer != MPI_ANY_SOURCE && transfer->peer != source)
        enforce_depart("receives from rank %d where the ordering has it receive from rank %d",
                       enforce_world_rank(transfer->communicator, transfer->peer), choice->number[0]);
    return post(transfer, source, request);
}

/* --- sends --------------------------------------------------------------------------------------------------------------- */

/* The copy lives as long as the rank: nobody can tell when MPI needs it no more without waiting for it. */
static int send_copy(const struct transfer *transfer) {
    int room, size = 0;
    MPI_Request request;
    REAL(Pack_size)(transfer->count, transfer->type, transfer->communicator, &room);
    void *copy = malloc((size_t)room + 1);
    if (!copy)
        abort();
    int result = REAL(Pack)(transfer->buffer, transfer->count, transfer->type, copy, room, &size, transfer->communicator);
    if (result == MPI_SUCCESS)
        result = REAL(Isend)(copy, size, MPI_PACKED, transfer->peer, transfer->tag, transfer->communicator, &request);
    return result == MPI_SUCCESS ? REAL(Request_free)(&request) : result;
}

static int send_really(enum send_mode mode, const struct transfer *transfer, MPI_Request *request) {
    __typeof__(&MPI_Isend) send = mode == SEND_SYNCHRONOUS ? REAL(Issend) : mode == SEND_BUFFERED ? REAL(Ibsend) : REAL(Isend);
    return send(transfer->buffer, transfer->count, transfer->type, transfer->peer, transfer->tag, transfer->communicator,
                request);
}

int enforce_send(enum send_mode mode, const struct transfer *transfer, MPI_Request *request) {
    static const enum choice_word words[] = {WORD_NOTHING, WORD_SYNCHRONOUS, WORD_BUFFERED};
    if (transfer->peer == MPI_PROC_NULL)
        return no_process(request);
    if (transfer->peer == MPI_ANY_SOURCE || !enforce_has_rank(transfer->communicator, transfer->peer))
        return send_really(mode, transfer, request);
    int32_t peer = enforce_world_rank(transfer->communicator, transfer->peer);
    if (enforce_records()) {
        enforce_record(CHOICE_SEND, words[mode], &peer, 1);
        return send_really(mode, transfer, request);
    }
    const struct choice_made *choice = enforce_choice(CHOICE_SEND);
    if (!choice)
        return send_really(mode, transfer, request);
    if (choice->number[0] != peer)
        enforce_depart("sends to rank %d where the ordering has it send to rank %d", peer, choice->number[0]);
    if (choice->word == WORD_CANCELLED)
        return enforce_idle_request(request);
    if (mode != SEND_STANDARD || choice->word == WORD_NOTHING)
        return send_really(mode, transfer, request);
    if (choice->word == WORD_SYNCHRONOUS)
        return send_really(SEND_SYNCHRONOUS, transfer, request);
    int result = send_copy(transfer);
    return result == MPI_SUCCESS ? enforce_complete_request(false, request) : result;
}

/* --- MPI's functions ----------------------------------------------------------------------------------------------------- */

/* What no int counts is not held to an ordering. */
static int narrow(MPI_Count count) {
    if (count > INT_MAX)
        enforce_depart("sends or receives more elements than can be held to an ordering");
    return (int)count;
}

/* Waits for what a call that blocks has received. An error is raised on its communicator, not on MPI_COMM_WORLD, as MPICH has it for
 * MPI_Wait. */
static int finish_receive(MPI_Comm communicator, MPI_Request *request, MPI_Status *status) {
    if (communicator == MPI_COMM_WORLD)
        return enforce_wait(request, status);
    MPI_Errhandler handler;
    REAL(Comm_get_errhandler)(MPI_COMM_WORLD, &handler);
    REAL(Comm_set_errhandler)(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int result = enforce_wait(request, status);
    REAL(Comm_set_errhandler)(MPI_COMM_WORLD, handler);
    REAL(Errhandler_free)(&handler);
    if (result != MPI_SUCCESS)
        REAL(Comm_call_errhandler)(communicator, result);
    return result;
}

/* Each function has a form for large counts. */
#define SENDS(blocking, nonblocking, persistent, mode)       \
    SENDS_FORM(blocking, nonblocking, persistent, int, mode) \
    SENDS_FORM(blocking##_c, nonblocking##_c, persistent##_c, MPI_Count, mode)
#define SENDS_FORM(blocking, nonblocking, persistent, number, mode)                                                          \
    EXPORT(blocking)                                                                                                         \
    int MPI_##blocking(const void *buffer, number count, MPI_Datatype type, int peer, int tag, MPI_Comm communicator) {      \
        ENTER(blocking, buffer, count, type, peer, tag, communicator);                                                       \
        MPI_Request request;                                                                                                 \
        int result = enforce_send(mode, &(struct transfer){buffer, narrow(count), type, peer, tag, communicator}, &request); \
        LEAVE(result == MPI_SUCCESS ? enforce_wait(&request, MPI_STATUS_IGNORE) : result);                                   \
    }                                                                                                                        \
    EXPORT(nonblocking)                                                                                                      \
    int MPI_##nonblocking(const void *buffer, number count, MPI_Datatype type, int peer, int tag, MPI_Comm communicator,     \
                          MPI_Request *request) {                                                                            \
        ENTER(nonblocking, buffer, count, type, peer, tag, communicator, request);                                           \
        LEAVE(enforce_send(mode, &(struct transfer){buffer, narrow(count), type, peer, tag, communicator}, request));        \
    }                                                                                                                        \
    EXPORT(persistent)                                                                                                       \
    int MPI_##persistent(const void *buffer, number count, MPI_Datatype type, int peer, int tag, MPI_Comm communicator,      \
                         MPI_Request *request) {                                                                             \
        ENTER(persistent, buffer, count, type, peer, tag, communicator, request);                                            \
        int result = REAL(persistent)(buffer, count, type, peer, tag, communicator, request);                                \
        if (result == MPI_SUCCESS)                                                                                           \
            remember(*request, true, mode, &(struct transfer){buffer, narrow(count), type, peer, tag, communicator});        \
        LEAVE(result);                                                                                                       \
    }

static void remember(MPI_Request handle, bool sends, enum send_mode mode, const struct transfer *transfer) {
    struct tracked *tracked = tracked_add(handle);
    tracked->persistent = true;
    tracked->sends = sends;
    tracked->mode = mode;
    tracked->transfer = *transfer;
}

SENDS(Send, Isend, Send_init, SEND_STANDARD)
SENDS(Rsend, Irsend, Rsend_init, SEND_STANDARD)
SENDS(Ssend, Issend, Ssend_init, SEND_SYNCHRONOUS)
SENDS(Bsend, Ibsend, Bsend_init, SEND_BUFFERED)

#define RECEIVES(suffix, number)                                                                                            \
    EXPORT(Recv##suffix)                                                                                                    \
    int MPI_Recv##suffix(void *buffer, number count, MPI_Datatype type, int source, int tag, MPI_Comm communicator,         \
                         MPI_Status *status) {                                                                              \
        ENTER(Recv##suffix, buffer, count, type, source, tag, communicator, status);                                        \
        MPI_Request request;                                                                                                \
        int result = enforce_receive(&(struct transfer){buffer, narrow(count), type, source, tag, communicator}, &request); \
        LEAVE(result == MPI_SUCCESS ? finish_receive(communicator, &request, status) : result);                             \
    }                                                                                                                       \
    EXPORT(Irecv##suffix)                                                                                                   \
    int MPI_Irecv##suffix(void *buffer, number count, MPI_Datatype type, int source, int tag, MPI_Comm communicator,        \
                          MPI_Request *request) {                                                                           \
        ENTER(Irecv##suffix, buffer, count, type, source, tag, communicator, request);                                      \
        LEAVE(enforce_receive(&(struct transfer){buffer, narrow(count), type, source, tag, communicator}, request));        \
    }                                                                                                                       \
    EXPORT(Recv_init##suffix)                                                                                               \
    int MPI_Recv_init##suffix(void *buffer, number count, MPI_Datatype type, int source, int tag, MPI_Comm communicator,    \
                              MPI_Request *request) {                                                                       \
        ENTER(Recv_init##suffix, buffer, count, type, source, tag, communicator, request);                                  \
        int result = REAL(Recv_init##suffix)(buffer, count, type, source, tag, communicator, request);                      \
        if (result == MPI_SUCCESS)                                                                                          \
            remember(*request, false, SEND_STANDARD,                                                                        \
                     &(struct transfer){buffer, narrow(count), type, source, tag, communicator});                           \
        LEAVE(result);                                                                                                      \
    }

RECEIVES(, int)
RECEIVES(_c, MPI_Count)

/* Persistent requests of other kinds are MPI's. */
static int start(MPI_Request *handle) {
    const struct tracked *tracked = tracked_find(*handle);
    if (!tracked || !tracked->persistent)
        return REAL(Start)(handle);
    const struct transfer transfer = tracked->transfer; /* the table may move */
    MPI_Request current;
    int result = tracked->sends ? enforce_send(tracked->mode, &transfer, &current) : enforce_receive(&transfer, &current);
    tracked_find(*handle)->current = result == MPI_SUCCESS ? current : MPI_REQUEST_NULL;
    return result;
}

EXPORT(Start)
int MPI_Start(MPI_Request *request) {
    ENTER(Start, request);
    LEAVE(start(request));
}

EXPORT(Startall)
int MPI_Startall(int count, MPI_Request requests[]) {
    ENTER(Startall, count, requests);
    int result = MPI_SUCCESS;
    for (int i = 0; i < count && result == MPI_SUCCESS; i++)
        result = start(&requests[i]);
    LEAVE(result);
}

static int exchange(const struct transfer *send, const struct transfer *receive, MPI_Status *status) {
    MPI_Request sent, received;
    int result = enforce_receive(receive, &received);
    if (result == MPI_SUCCESS)
        result = enforce_send(SEND_STANDARD, send, &sent);
    if (result == MPI_SUCCESS)
        result = finish_receive(receive->communicator, &received, status);
    return result == MPI_SUCCESS ? enforce_wait(&sent, MPI_STATUS_IGNORE) : result;
}

#define SENDRECV(suffix, number)                                                                                              \
    EXPORT(Sendrecv##suffix)                                                                                                  \
    int MPI_Sendrecv##suffix(const void *send_buffer, number send_count, MPI_Datatype send_type, int destination,             \
                             int send_tag, void *receive_buffer, number receive_count, MPI_Datatype receive_type, int source, \
                             int receive_tag, MPI_Comm communicator, MPI_Status *status) {                                    \
        ENTER(Sendrecv##suffix, send_buffer, send_count, send_type, destination, send_tag, receive_buffer, receive_count,     \
              receive_type, source, receive_tag, communicator, status);                                                       \
        LEAVE(exchange(                                                                                                       \
            &(struct transfer){send_buffer, narrow(send_count), send_type, destination, send_tag, communicator},              \
            &(struct transfer){receive_buffer, narrow(receive_count), receive_type, source, receive_tag, communicator},       \
            status));                                                                                                         \
    }

SENDRECV(, int)
SENDRECV(_c, MPI_Count)

/* What is sent is copied first: both halves are under way at once. */
static int exchange_copy(const struct transfer *send, const struct transfer *receive, MPI_Status *status) {
    int room, size = 0;
    REAL(Pack_size)(send->count, send->type, send->communicator, &room);
    void *copy = malloc((size_t)room + 1);
    if (!copy)
        abort();
    int result = REAL(Pack)(send->buffer, send->count, send->type, copy, room, &size, send->communicator);
    if (result == MPI_SUCCESS)
        result =
            exchange(&(struct transfer){copy, size, MPI_PACKED, send->peer, send->tag, send->communicator}, receive, status);
    free(copy);
    return result;
}

#define SENDRECV_REPLACE(suffix, number)                                                                                       \
    EXPORT(Sendrecv_replace##suffix)                                                                                           \
    int MPI_Sendrecv_replace##suffix(void *buffer, number count, MPI_Datatype type, int destination, int send_tag, int source, \
                                     int receive_tag, MPI_Comm communicator, MPI_Status *status) {                             \
        ENTER(Sendrecv_replace##suffix, buffer, count, type, destination, send_tag, source, receive_tag, communicator,         \
              status);                                                                                                         \
        LEAVE(exchange_copy(&(struct transfer){buffer, narrow(count), type, destination, send_tag, communicator},              \
                            &(struct transfer){buffer, narrow(count), type, source, receive_tag, communicator}, status));      \
    }

SENDRECV_REPLACE(, int)
SENDRECV_REPLACE(_c, MPI_Count)
