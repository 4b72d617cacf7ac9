/* The state of the brute-force enumeration and what may happen in it: matching, buffering, cancellation, by an operational
 * reading of MPI-3.1 (sections 3.5, 3.7, 3.8). Knows nothing of the order in which things are tried. */
#ifndef TESTS_ORACLE_NETWORK_H
#define TESTS_ORACLE_NETWORK_H

#include "tests/oracle/program.h"

#define NETWORK_SENDS 14 /* of one rank, at once */
#define NETWORK_RECEIVES 8
#define NETWORK_COLLECTIVES 8 /* of one rank on one communicator, ever */

/* Who waits for an operation: a request slot, the blocking call itself, or nobody. */
#define OWNER_CALL 0xfe
#define OWNER_NOBODY 0xff
#define NO_CLAIM 0xff

/* A message that was sent and is not received, or whose sender does not know it yet. Sends of a rank are in the order of
 * issue. All that makes up a state is packed, and has no bit without a name: states are hashed and compared as bytes, millions of
 * them. */
struct sent {
    uint8_t to : 3, comm : 2, synchronous : 1, matched : 1, zero : 1;
    uint8_t cancelling : 1, cancelled : 1;
    uint8_t attached : 1; /* in the attached buffer, until it is received or cancelled */
    uint8_t zeros : 5;
    uint8_t owner;
    int8_t tag;
    uint8_t claim; /* message slot of the destination, after a matched probe */
    uint8_t at;    /* index of the instruction */
    uint16_t value;
};

/* A posted receive. In the order of posting. */
struct posted {
    int8_t source, tag; /* PEER_ANY, TAG_ANY */
    uint8_t comm : 2, matched : 1, cancelling : 1, cancelled : 1, zero : 3;
    uint8_t owner;
    uint8_t into, from;
    uint8_t sender;
    uint8_t at;
    uint16_t value;
};

struct slot {
    uint8_t active : 1, receives : 1, cancelled : 1;
    uint8_t collective : 1; /* the request is one's: the next three say which, and where its value goes */
    uint8_t comm : 2, zero : 2;
    uint8_t number, into;
};

struct message {
    uint8_t full, source;
};

/* A rank's part in one collective. */
struct part {
    uint8_t op;
    uint8_t root : 7, loose : 1; /* root: PART_NO_ROOT if it has none */
    uint16_t value;
};
#define PART_NO_ROOT 0x7f

struct rank_state {
    struct process process;
    uint8_t inside; /* the instruction at pc has been begun: the call blocks */
    uint8_t sends, receives;
    uint8_t entered[PROGRAM_COMMUNICATORS]; /* collectives entered so far */
    struct slot slot[PROGRAM_SLOTS];
    struct message message[PROGRAM_MESSAGES];
    uint8_t zero;
    struct sent sent[NETWORK_SENDS];
    struct posted posted[NETWORK_RECEIVES];
    struct part part[PROGRAM_COMMUNICATORS][NETWORK_COLLECTIVES];
};

struct network {
    struct rank_state rank[PROGRAM_RANKS];
};

/* May `sent` number s of rank `from` go to `posted` number r of rank `to`? */
bool network_may_match(const struct network *network, unsigned from, unsigned s, unsigned to, unsigned r);
void network_match(struct network *network, unsigned from, unsigned s, unsigned to, unsigned r);
/* The message that a receive (source, tag, comm) of rank `to` would get from rank `from` if it were posted now: number of the
 * send, or -1. */
int network_find(const struct network *network, unsigned to, unsigned from, int tag, unsigned comm);

/* Is a receive posted that would take such a message of rank `from`, and is not for an earlier one like it? */
bool network_is_ready(const struct network *network, unsigned from, unsigned to, int tag, unsigned comm);

/* The destination receives a message that a matched probe gave it. */
void network_receive_claimed(struct network *network, unsigned from, unsigned s);

/* A cancellation takes effect. A message that was received or claimed is out of its reach. */
bool network_may_cancel_send(const struct sent *sent);
bool network_may_cancel_receive(const struct posted *posted);
void network_cancel_send(struct rank_state *rank, unsigned s);
void network_cancel_receive(struct rank_state *rank, unsigned r);

/* How many messages has the rank in the attached buffer? */
unsigned network_attached(const struct rank_state *rank);

bool sent_is_complete(const struct sent *sent);
bool posted_is_complete(const struct posted *posted);

/* The operation that a request slot or the blocking call stands for; -1 if there is none. */
int network_send_of(const struct rank_state *rank, unsigned owner);
int network_receive_of(const struct rank_state *rank, unsigned owner);

/* Nobody waits for it any more; it goes away as soon as it is finished with. */
void network_disown_send(struct rank_state *rank, unsigned s);
void network_disown_receive(struct rank_state *rank, unsigned r);

#endif
