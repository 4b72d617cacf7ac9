#include "models/dps/network.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct token) == 12 + sizeof(struct identifier), "no padding: sent as it is");
_Static_assert(offsetof(struct arrival, body) == offsetof(struct arrival, token) + sizeof(struct token), "sent in one piece");

enum { TAG = 0 };

static void *allocate(size_t size) {
    void *memory = calloc(1, size);
    if (!memory)
        abort();
    return memory;
}

void network_fail(const struct network *network, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("dps: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    MPI_Abort(network->communicator, 1);
    abort();
}

static void require(const struct network *network, int code, const char *call) {
    if (code == MPI_SUCCESS)
        return;
    char text[MPI_MAX_ERROR_STRING];
    int length;
    MPI_Error_string(code, text, &length);
    network_fail(network, "%s: %s", call, text);
}

void network_open(struct network *network, MPI_Comm communicator, size_t outgoing_bytes) {
    *network = (struct network){.outgoing_bytes = outgoing_bytes};
    MPI_Comm_dup(communicator, &network->communicator);
    MPI_Comm_set_errhandler(network->communicator, MPI_ERRORS_RETURN);
    MPI_Comm_rank(network->communicator, &network->rank);
    MPI_Comm_size(network->communicator, &network->ranks);
    if (outgoing_bytes > INT_MAX)
        network_fail(network, "the limit of outgoing bytes is %d", INT_MAX);
    network->outgoing = malloc(outgoing_bytes);
    if (!network->outgoing)
        network_fail(network, "no memory for %zu outgoing bytes", outgoing_bytes);
    require(network, MPI_Buffer_attach(network->outgoing, (int)outgoing_bytes), "MPI_Buffer_attach");
}

void network_close(struct network *network) {
    void *buffer;
    int size;
    MPI_Buffer_detach(&buffer, &size);
    free(network->outgoing);
    MPI_Comm_free(&network->communicator);
}

struct arrival *network_message(const struct token *token, size_t body_size) {
    struct arrival *message = allocate(sizeof *message + body_size);
    message->token = *token;
    message->body_size = body_size;
    return message;
}

static int bytes_of(const struct network *network, const struct arrival *message) {
    size_t bytes = sizeof message->token + message->body_size;
    if (bytes > INT_MAX)
        network_fail(network, "a message of %zu bytes is too long for MPI", bytes);
    return (int)bytes;
}

void network_send(struct network *network, int rank, struct arrival *message) {
    int bytes = bytes_of(network, message);
    int code = MPI_Bsend(&message->token, bytes, MPI_BYTE, rank, TAG, network->communicator);
    if (code != MPI_SUCCESS)
        network_fail(network,
                     "a message of %d bytes finds no room beside those not received yet: use flow control, or raise the "
                     "limit of %zu outgoing bytes",
                     bytes, network->outgoing_bytes);
    free(message);
}

void network_hand_over(struct network *network, int rank, struct arrival *message) {
    require(network, MPI_Ssend(&message->token, bytes_of(network, message), MPI_BYTE, rank, TAG, network->communicator),
            "MPI_Ssend");
    free(message);
}

/* Called through network_receive: see stack_switch.S. */
struct arrival *receive_next(struct network *network, int source);

struct arrival *receive_next(struct network *network, int source) {
    MPI_Status status;
    int bytes;
    require(network, MPI_Probe(source, TAG, network->communicator, &status), "MPI_Probe");
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    if (bytes < (int)sizeof(struct token))
        network_fail(network, "a message of %d bytes is none of a graph", bytes);
    struct arrival *message = allocate(sizeof *message + (size_t)bytes - sizeof(struct token));
    message->body_size = (size_t)bytes - sizeof(struct token);
    require(network,
            MPI_Recv(&message->token, bytes, MPI_BYTE, status.MPI_SOURCE, TAG, network->communicator, MPI_STATUS_IGNORE),
            "MPI_Recv");
    return message;
}
