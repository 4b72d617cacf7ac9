/* Calls with one wrong argument, generated: every family of calls with every mistake that can be made in it.
 *
 *     rules --list                 "FAMILY MISTAKE CLASS" for each combination; MISTAKE "none" is the right twin of the others
 *     rules FAMILY MISTAKE         rank 0 makes that call with that mistake; everything else is right
 */
#ifndef TESTS_RULES_RULES_H
#define TESTS_RULES_RULES_H

#include <mpi.h>
#include <stdbool.h>

/* What a call is given. A family passes on what it takes. */
struct arguments {
    int *buffer; /* to send or receive: ELEMENTS for each rank */
    int *other;  /* second buffer of collectives */
    int count;
    MPI_Datatype type;
    int peer; /* destination, source or root */
    int tag;
    MPI_Op op;
    MPI_Comm communicator;
    MPI_Request request; /* completion calls */
    MPI_Win window;      /* one-sided communication: `other` of each rank; rank 0 holds shared locks on it */
    MPI_Aint displacement;
    int assertion;
    int lock; /* type of lock */
};
enum { ELEMENTS = 4 };

/* Which arguments a family has, and so which mistakes can be made in it. */
enum has {
    HAS_COMMUNICATOR = 1,
    HAS_COUNT = 2,
    HAS_TYPE = 4,
    HAS_BUFFER = 8,
    HAS_DATA = HAS_COUNT | HAS_TYPE | HAS_BUFFER,
    HAS_PEER = 16, /* destination or source, and tag */
    HAS_SEND = 32, /* ...of a send: no wildcards */
    HAS_ROOT = 64,
    HAS_OPERATOR = 128,
    HAS_TWO_BUFFERS = 256, /* that must not be one */
    HAS_REQUEST = 512,
    HAS_NO_NULL = 1024, /* ...which must not be MPI_REQUEST_NULL */
    HAS_COLOR = 2048,
    HAS_AGREED_TYPE = 4096,  /* all ranks' type must be the same */
    HAS_MATCHED_TYPE = 8192, /* the type must be that of the other side */
    HAS_WINDOW = 16384,
    HAS_TARGET = 32768,       /* a rank of the window's group; and an epoch is needed to access it */
    HAS_DISPLACEMENT = 65536, /* into the target's memory */
    HAS_LOCKS = 131072,       /* the locks must be held */
    HAS_ASSERTION = 262144,
    HAS_LOCK_TYPE = 524288,
    HAS_UNLOCKED = 1048576, /* ...must not be held */
    HAS_INTEGERS = 2097152, /* the type must be one of integers */
};

struct family {
    const char *name;
    unsigned has;
    enum side { SENDS, RECEIVES, COLLECTIVE, COMPLETES, LOCAL, ACCESSES } side; /* what the other rank must do */
    void (*call)(struct arguments *with);
};
extern const struct family families[];
extern const int family_count;

struct mistake {
    const char *name;
    unsigned needs; /* enum has: all of them */
    const char *class_name;
    void (*make)(struct arguments *with);
};
extern const struct mistake mistakes[];
extern const int mistake_count;

#endif
