/* Calls with one mistake, generated: every family of calls with every mistake that can be made in it.
 *
 *     rules --list                    "FAMILY MISTAKE CLASS" for each combination; MISTAKE "none" is the right twin of the others
 *     rules FAMILY MISTAKE            rank 0 makes that call with that mistake, or rank 1 does what must not meet it; all else is right
 *     rules FAMILY MISTAKE_by_other   rank 1 makes it
 *     rules FAMILY MISTAKE_by_all     both ranks make it: what is a mistake only because they disagree is none then
 *     rules across_FAMILY MISTAKE     on an intercommunicator of two groups of one rank; rank 1 is the root
 */
#ifndef TESTS_RULES_RULES_H
#define TESTS_RULES_RULES_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

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
    MPI_Info info; /* of collectives that are made */
    MPI_Group group;
    MPI_File file;       /* each rank's own */
    MPI_Request request; /* completion calls */
    bool no_place;       /* the request that is made is put nowhere */
    MPI_Win window;      /* one-sided communication: `other` of each rank; rank 0 holds shared locks on it */
    MPI_Aint displacement;
    int assertion;
    int lock; /* type of lock */
    /* What the program does with an operation that is pending: to what it gives and takes, or not to end it. */
    enum meanwhile { NOTHING, CHANGES, READS, SENDS_GIVEN, SENDS_TAKEN, RECEIVES_GIVEN, RECEIVES_TAKEN, FORGETS } meanwhile;
    int begins, ends;                        /* how often an epoch is begun and ended */
    void (*within)(MPI_Win window);          /* is called in an epoch, or NULL */
    bool twice;                              /* the call is made again */
    bool keeps;                              /* what the call made, it does not free */
    void (*instead)(struct arguments *with); /* of the call */
    void (*after)(struct arguments *with);   /* the call */
};
enum { ELEMENTS = 4 };

/* Which arguments a family has, and so which mistakes can be made in it. */
#define BIT(n) (UINT64_C(1) << (n))
#define HAS_COMMUNICATOR BIT(0)
#define HAS_COUNT BIT(1)
#define HAS_TYPE BIT(2)
#define HAS_BUFFER BIT(3)
#define HAS_DATA (HAS_COUNT | HAS_TYPE | HAS_BUFFER)
#define HAS_PEER BIT(4)    /* destination or source, and tag */
#define HAS_SEND BIT(5)    /* ...of a send: no wildcards */
#define HAS_READY BIT(6)   /* the receive must be posted already */
#define HAS_POLLING BIT(7) /* it asks again and again until there is a message */
#define HAS_ROOT BIT(8)
#define HAS_OPERATOR BIT(9)
#define HAS_TWO_BUFFERS BIT(10) /* that must not be one */
#define HAS_REQUEST BIT(11)
#define HAS_NO_NULL BIT(12) /* ...which must not be MPI_REQUEST_NULL */
#define HAS_COLOR BIT(13)
#define HAS_AGREED_TYPE BIT(14)  /* all ranks' type must be the same */
#define HAS_MATCHED_TYPE BIT(15) /* the type must be that of the other side */
#define HAS_WINDOW BIT(16)
#define HAS_TARGET BIT(17)       /* a rank of the window's group; and an epoch is needed to access it */
#define HAS_DISPLACEMENT BIT(18) /* into the target's memory */
#define HAS_LOCKS BIT(19)        /* the locks must be held */
#define HAS_ASSERTION BIT(20)
#define HAS_LOCK_TYPE BIT(21)
#define HAS_UNLOCKED BIT(22) /* ...must not be held */
#define HAS_INTEGERS BIT(23) /* the type must be one of integers */
#define HAS_INFO BIT(24)
#define HAS_PENDING BIT(25)        /* an operation that must be completed... */
#define HAS_GIVEN BIT(26)          /* ...before what is given may be changed */
#define HAS_TAKEN BIT(27)          /* ...before what is taken may be read */
#define HAS_OPEN_FILE BIT(28)      /* ...before the file may be closed */
#define HAS_OBJECT BIT(29)         /* it makes something that must be freed... */
#define HAS_FREED_BY_ALL BIT(30)   /* ...by all ranks together */
#define HAS_REQUEST_OBJECT BIT(31) /* it makes a request that must be freed */
#define HAS_NO_INIT BIT(32)        /* it may be called before MPI_Init, and after MPI_Finalize (MPI-4.0 section 11.4.1) */
#define HAS_OTHER_CALL BIT(33)     /* it is what "other_call" or "sync_instead" calls */
#define HAS_OLD_TYPE BIT(34)       /* a type of which one is made: it need not be committed */
#define HAS_LOOK BIT(35)           /* the access changes nothing */
#define HAS_ATOMIC BIT(36)         /* the access may meet others of its kind, and loads: programs wait for flags so */
#define HAS_END BIT(37)            /* the access has had its effect when the call is over */
#define HAS_OWN_WAY BIT(38)        /* it talks on a communicator of its own */
#define HAS_EPOCH BIT(39)          /* what must be begun and ended once */
#define HAS_ACCESS_EPOCH BIT(40)   /* ...and is for accesses */
#define HAS_FENCES BIT(41)
#define HAS_ACROSS BIT(42) /* it may be made on an intercommunicator too */
#define IS_ACROSS BIT(43)  /* ...and is */
#define HAS_GROUP BIT(44)
#define HAS_INFO_OBJECT BIT(45) /* that must not be MPI_INFO_NULL */
#define HAS_OPERATOR_OBJECT BIT(46)
#define HAS_GRID BIT(47)
#define HAS_GRAPH BIT(48)
#define HAS_MEMBER BIT(49) /* a rank of it */
#define HAS_FILE BIT(50)
#define HAS_FILE_OR_DEFAULT BIT(51) /* MPI_FILE_NULL stands for files that will be opened */
#define HAS_NEW_REQUEST BIT(52)
#define HAS_COMMON_FILE BIT(53) /* a file of all ranks */
#define HAS_VALUE BIT(54)       /* the count, which must be the same at all */
/* What follows from the side that the other rank takes. */
#define IS_COLLECTIVE BIT(55)
#define IS_SEND BIT(56)
#define IS_RECEIVE BIT(57)
#define HAS_BUFFERING BIT(58) /* it is over before the message is received, if that may be buffered */
#define HAS_ATTACHED BIT(59)  /* ...in an attached buffer, which it detaches if it keeps nothing */

struct family {
    const char *name;
    uint64_t has;                                                                      /* HAS_..., IS_... */
    enum side { SENDS, RECEIVES, COLLECTIVE, COMPLETES, LOCAL, ACCESSES, MEETS } side; /* what the other rank must do */
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
/* Those that make something. */
extern const struct family object_families[];
extern const int object_family_count;
/* Those that ask or tell an object something. */
extern const struct family handle_families[];
extern const int handle_family_count;
/* Those to a file of all. */
extern const struct family file_families[];
extern const int file_family_count;
/* Epochs of windows. */
extern const struct family epoch_families[];
extern const int epoch_family_count;

/* Of those of one name the first that applies to a family does. */
struct mistake {
    const char *name;
    uint64_t needs; /* all of them */
    const char *class_name;
    void (*make)(struct arguments *with);
    const char *class_by_all; /* if all ranks make it, where that is another class, or none; or NULL */
    bool by_other;            /* rank 1 makes it, not rank 0 */
};
extern const struct mistake mistakes[];
extern const int mistake_count;

/* The other of the two ranks. */
int other_rank(void);
/* What begins an epoch, on rank 0. */
void fence(MPI_Win window);
void lock(MPI_Win window);
void lock_all(MPI_Win window);

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
