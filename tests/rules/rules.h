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
    MPI_Info info;       /* of collectives that are made */
    MPI_Request request; /* completion calls */
    MPI_Win window;      /* one-sided communication: `other` of each rank; rank 0 holds shared locks on it */
    MPI_Aint displacement;
    int assertion;
    int lock;                                                      /* type of lock */
    enum meanwhile { NOTHING, CHANGES, READS, FORGETS } meanwhile; /* what the program does with an operation that is pending */
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
    HAS_INFO = 4194304,
    HAS_PENDING = 8388608,    /* an operation that must be completed... */
    HAS_GIVEN = 16777216,     /* ...before what is given may be changed */
    HAS_TAKEN = 33554432,     /* ...before what is taken may be read */
    HAS_OPEN_FILE = 67108864, /* ...before the file may be closed */
};

struct family {
    const char *name;
    unsigned has;
    enum side { SENDS, RECEIVES, COLLECTIVE, COMPLETES, LOCAL, ACCESSES } side; /* what the other rank must do */
    void (*call)(struct arguments *with);
};
extern const struct family families[];
extern const int family_count;
/* Those of MPI-4.0: made once and started, combined, and for large counts. */
extern const struct family young_families[];
extern const int young_family_count;
/* Those that go on while the program does, and how it may disturb them. */
extern const struct family pending_families[];
extern const int pending_family_count;

struct mistake {
    const char *name;
    unsigned needs; /* enum has: all of them */
    const char *class_name;
    void (*make)(struct arguments *with);
};
extern const struct mistake mistakes[];
extern const int mistake_count;

/* What most families of a kind have. */
#define TO (HAS_COMMUNICATOR | HAS_DATA | HAS_PEER | HAS_SEND | HAS_MATCHED_TYPE)
#define FROM (HAS_COMMUNICATOR | HAS_DATA | HAS_PEER | HAS_MATCHED_TYPE)
#define MOVES (HAS_COMMUNICATOR | HAS_DATA)
#define ROOTED (MOVES | HAS_ROOT | HAS_AGREED_TYPE)
#define REDUCES (MOVES | HAS_OPERATOR | HAS_TWO_BUFFERS | HAS_AGREED_TYPE)
#define ACCESS_ALL (HAS_WINDOW | HAS_TARGET | HAS_DISPLACEMENT | HAS_LOCKS)
#define PUTS (ACCESS_ALL | HAS_DATA | HAS_MATCHED_TYPE)

/* The arguments as calls take them. */
#define DATA with->buffer, with->count, with->type
#define SEND_ARGUMENTS DATA, with->peer, with->tag, with->communicator
#define REDUCTION with->buffer, with->other, with->count, with->type, with->op
#define WAIT(request) MPI_Wait(&(request), MPI_STATUS_IGNORE)
#define FAMILY(name, has, side) \
    { #name, has, side, do_##name }

#endif
