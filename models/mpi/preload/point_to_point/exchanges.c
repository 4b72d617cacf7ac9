/* A send and a receive in one call: MPI_Sendrecv, which waits for two requests, MPI_Isendrecv, whose request is a pair of two
 * others that the program does not see, and those with one buffer for both. */
#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/buffers/disjoint_buffers.h"
#include "models/mpi/preload/point_to_point/request_table.h"

static int check_apart(const struct caller *caller, const struct transfer *send, const struct transfer *receive) {
    if (send->peer == MPI_PROC_NULL || receive->peer == MPI_PROC_NULL)
        return MPI_SUCCESS;
    const struct block given = {send->buffer, send->count, send->type};
    const struct blocks taken = equal_blocks(receive->buffer, receive->count, receive->type);
    return check_disjoint_block(caller, send->communicator, &given, &taken, 1);
}

static int check_exchange(const struct caller *caller, MPI_Comm handle, struct transfer *send, struct transfer *receive,
                          bool one_buffer) {
    int error = check_transfer(caller, handle, send);
    if (error == MPI_SUCCESS)
        error = check_transfer(caller, handle, receive);
    if (error == MPI_SUCCESS && !one_buffer)
        error = check_apart(caller, send, receive);
    return error;
}

static int exchange(const struct caller *caller, MPI_Comm handle, struct transfer *send, struct transfer *receive,
                    bool one_buffer, MPI_Status *status) {
    int error = check_exchange(caller, handle, send, receive, one_buffer);
    if (error != MPI_SUCCESS)
        return error;
    send->blocking = receive->blocking = true;
    MPI_Request requests[2] = {request_make(caller, receive, NULL), request_make(caller, send, NULL)};
    /* As two threads would do them (MPI-3.1 3.10): nobody who has the message may count on the receive. */
    request_start(caller, requests[1]);
    request_start(caller, requests[0]);
    return requests_exchange(caller, requests[0], requests[1], status);
}

static int exchange_later(const struct caller *caller, MPI_Comm handle, struct transfer *send, struct transfer *receive,
                          bool one_buffer, MPI_Request *request) {
    int error = check_exchange(caller, handle, send, receive, one_buffer);
    send->unowned = one_buffer;
    if (error == MPI_SUCCESS)
        *request = request_make_pair(caller, send, receive, request);
    return error;
}

#define SENDRECV(number)                                                                                                     \
    const void *send_buffer, number send_count, MPI_Datatype send_type, int destination, int send_tag, void *receive_buffer, \
        number receive_count, MPI_Datatype receive_type, int source, int receive_tag, MPI_Comm communicator
#define SENDRECV_ARGUMENTS                                                                                          \
    send_buffer, send_count, send_type, destination, send_tag, receive_buffer, receive_count, receive_type, source, \
        receive_tag, communicator
#define SENDRECV_REPLACE(number)                                                                               \
    void *buffer, number count, MPI_Datatype type, int destination, int send_tag, int source, int receive_tag, \
        MPI_Comm communicator
#define SENDRECV_REPLACE_ARGUMENTS buffer, count, type, destination, send_tag, source, receive_tag, communicator

/* `send` and `receive`, of the parameters. */
#define TWO_BUFFERS                                        \
    struct transfer send = {.kind = WIRE_SEND,             \
                            .buffer = (void *)send_buffer, \
                            .count = send_count,           \
                            .type = send_type,             \
                            .peer = destination,           \
                            .tag = send_tag};              \
    struct transfer receive = {.kind = WIRE_RECEIVE,       \
                               .buffer = receive_buffer,   \
                               .count = receive_count,     \
                               .type = receive_type,       \
                               .peer = source,             \
                               .tag = receive_tag}
/* A send takes its data when it is issued and a receive gives it on completion, so both can share a buffer. */
#define ONE_BUFFER                                                                                                \
    struct transfer send = {                                                                                      \
        .kind = WIRE_SEND, .buffer = buffer, .count = count, .type = type, .peer = destination, .tag = send_tag}; \
    struct transfer receive = {                                                                                   \
        .kind = WIRE_RECEIVE, .buffer = buffer, .count = count, .type = type, .peer = source, .tag = receive_tag}

#define EXCHANGE(name, PARAMETERS, ARGUMENTS, TRANSFERS, one_buffer)                \
    EXPORT(name)                                                                    \
    int MPI_##name(PARAMETERS, MPI_Status *status) {                                \
        ENTER(name, ARGUMENTS, status);                                             \
        TRANSFERS;                                                                  \
        return exchange(caller, communicator, &send, &receive, one_buffer, status); \
    }
#define EXCHANGE_LATER(name, PARAMETERS, ARGUMENTS, TRANSFERS, one_buffer)                 \
    EXPORT(name)                                                                           \
    int MPI_##name(PARAMETERS, MPI_Request *request) {                                     \
        ENTER(name, ARGUMENTS, request);                                                   \
        TRANSFERS;                                                                         \
        return exchange_later(caller, communicator, &send, &receive, one_buffer, request); \
    }

EXCHANGE(Sendrecv, SENDRECV(int), SENDRECV_ARGUMENTS, TWO_BUFFERS, false)
EXCHANGE(Sendrecv_c, SENDRECV(MPI_Count), SENDRECV_ARGUMENTS, TWO_BUFFERS, false)
EXCHANGE(Sendrecv_replace, SENDRECV_REPLACE(int), SENDRECV_REPLACE_ARGUMENTS, ONE_BUFFER, true)
EXCHANGE(Sendrecv_replace_c, SENDRECV_REPLACE(MPI_Count), SENDRECV_REPLACE_ARGUMENTS, ONE_BUFFER, true)
EXCHANGE_LATER(Isendrecv, SENDRECV(int), SENDRECV_ARGUMENTS, TWO_BUFFERS, false)
EXCHANGE_LATER(Isendrecv_c, SENDRECV(MPI_Count), SENDRECV_ARGUMENTS, TWO_BUFFERS, false)
EXCHANGE_LATER(Isendrecv_replace, SENDRECV_REPLACE(int), SENDRECV_REPLACE_ARGUMENTS, ONE_BUFFER, true)
EXCHANGE_LATER(Isendrecv_replace_c, SENDRECV_REPLACE(MPI_Count), SENDRECV_REPLACE_ARGUMENTS, ONE_BUFFER, true)
