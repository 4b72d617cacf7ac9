#include "models/dps/network.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct token) == 12 + sizeof(struct identifier), "no padding: sent as it is");
_Static_assert(offsetof(struct arrival, token) == offsetof(struct arrival, body_size) + sizeof(uint64_t), "sent in one piece");
_Static_assert(offsetof(struct arrival, body) == offsetof(struct arrival, token) + sizeof(struct token), "sent in one piece");

enum { TAG = 0, TAG_REST = 1, HEAD_BYTES = sizeof(uint64_t) + sizeof(struct token), PIECE_BYTES = 4096 };

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
    network->piece = allocate(PIECE_BYTES);
    require(network, MPI_Buffer_attach(network->outgoing, (int)outgoing_bytes), "MPI_Buffer_attach");
}

void network_close(struct network *network) {
    void *buffer;
    int size;
    MPI_Buffer_detach(&buffer, &size);
    free(network->outgoing);
    free(network->piece);
    MPI_Comm_free(&network->communicator);
}

struct arrival *network_message(const struct token *token, size_t body_size) {
    struct arrival *message = allocate(sizeof *message + body_size);
    message->token = *token;
    message->body_size = body_size;
    return message;
}

static int bytes_of(const struct network *network, uint64_t body_size) {
    if (body_size > INT_MAX - HEAD_BYTES)
        network_fail(network, "a message of %llu bytes is too long for MPI", (unsigned long long)body_size);
    return (int)(HEAD_BYTES + body_size);
}

static int first_bytes(int bytes) { return bytes < PIECE_BYTES ? bytes : PIECE_BYTES; }

static void buffer(struct network *network, int rank, const void *data, int bytes, int tag) {
    if (MPI_Bsend(data, bytes, MPI_BYTE, rank, tag, network->communicator) != MPI_SUCCESS)
        network_fail(network,
                     "a message of %d bytes finds no room beside those not received yet: use flow control, or raise the "
                     "limit of %zu outgoing bytes",
                     bytes, network->outgoing_bytes);
}

void network_send(struct network *network, int rank, struct arrival *message) {
    const unsigned char *data = (const unsigned char *)&message->body_size;
    int bytes = bytes_of(network, message->body_size), first = first_bytes(bytes);
    buffer(network, rank, data, first, TAG);
    if (bytes > first)
        buffer(network, rank, data + first, bytes - first, TAG_REST);
    free(message);
}

void network_hand_over(struct network *network, int rank, const struct token *token) {
    struct arrival *message = network_message(token, 0);
    require(network, MPI_Ssend(&message->body_size, HEAD_BYTES, MPI_BYTE, rank, TAG, network->communicator), "MPI_Ssend");
    free(message);
}

/* The message that `received` bytes of are in the network's piece, which becomes zero. */
static struct arrival *from_piece(struct network *network, int received, int *bytes) {
    uint64_t body_size = 0;
    if (received >= HEAD_BYTES)
        memcpy(&body_size, network->piece, sizeof body_size);
    *bytes = bytes_of(network, body_size);
    if (received != first_bytes(*bytes))
        network_fail(network, "a message of %d bytes is none of a graph", received);
    struct arrival *message = allocate(sizeof *message + body_size);
    memcpy(&message->body_size, network->piece, (size_t)received);
    memset(network->piece, 0, (size_t)received);
    return message;
}

/* Called through network_receive: see stack_switch.S. */
struct arrival *receive_next(struct network *network, int source);

struct arrival *receive_next(struct network *network, int source) {
    MPI_Status status;
    int received, bytes;
    require(network, MPI_Recv(network->piece, PIECE_BYTES, MPI_BYTE, source, TAG, network->communicator, &status), "MPI_Recv");
    MPI_Get_count(&status, MPI_BYTE, &received);
    struct arrival *message = from_piece(network, received, &bytes);
    if (bytes > received)
        require(network,
                MPI_Recv((unsigned char *)&message->body_size + received, bytes - received, MPI_BYTE, status.MPI_SOURCE,
                         TAG_REST, network->communicator, MPI_STATUS_IGNORE),
                "MPI_Recv");
    return message;
}

const void *network_bytes(const struct arrival *message, size_t *size) {
    *size = HEAD_BYTES + message->body_size;
    return *size <= PIECE_BYTES ? &message->body_size : NULL;
}
