/* Messages of a graph as MPI messages. Internal.
 *
 *     size of the body | token | body: the binary form of the object, or a notification
 *
 * in one piece, so that it is received in one call. What is longer than a piece comes as a second message: the first tells how
 * long.
 *
 * Sends are buffered ones, so no operation waits for another rank; a rank receives whatever comes first. Each rank has a
 * communicator of its own for this. */
#ifndef MODELS_DPS_NETWORK_H
#define MODELS_DPS_NETWORK_H

#include "models/dps/identifiers.h"

#include <mpi.h>
#include <stddef.h>

enum token_kind {
    TOKEN_DATA,         /* for the operation `node` on `thread` */
    TOKEN_NOTIFY_SPLIT, /* from a merge; the identifier is what the split's messages have in common */
    TOKEN_NOTIFY_MERGE, /* from a split; the same identifier */
    TOKEN_RESULT,       /* of the graph, to rank 0 */
    TOKEN_STOP,         /* the result is there */
};

struct token {
    uint32_t kind;         /* enum token_kind */
    uint16_t node, thread; /* it is for */
    uint32_t type;         /* of the object, number in the graph */
    struct identifier identifier;
};

struct network {
    MPI_Comm communicator;
    int rank, ranks;
    void *outgoing; /* the buffer attached */
    size_t outgoing_bytes;
    unsigned char *piece; /* what is received, and zero while the rank waits */
};

/* A message that has arrived. */
struct arrival {
    struct arrival *next;
    uint64_t body_size;
    struct token token;
    unsigned char body[];
};

void network_open(struct network *network, MPI_Comm communicator, size_t outgoing_bytes);
/* All ranks, when no message is under way. */
void network_close(struct network *network);

/* Ends the program with this sentence. */
_Noreturn void network_fail(const struct network *network, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A message with room for the body, to be filled in; network_send frees it. */
struct arrival *network_message(const struct token *token, size_t body_size);
void network_send(struct network *network, int rank, struct arrival *message);
/* A message without a body; waits until the other rank has taken it. */
void network_hand_over(struct network *network, int rank, const struct token *token);
/* The next message from that rank or, with MPI_ANY_SOURCE, from anybody; to be freed. */
struct arrival *network_receive(struct network *network, int source);

/* The bytes of the MPI message that it came as; NULL: it came as two. */
const void *network_bytes(const struct arrival *message, size_t *size);

#endif
