/* Operations during which the program goes on: until they are complete what is given must not change, what is taken must not be looked
 * at, and none may be forgotten. Of those that only this file has, arguments are spoilt too. */
#include "rules.h"

#include <stddef.h>

static volatile int seen;

static void send_to_itself(const int *from, int *to) {
    MPI_Request requests[2];
    MPI_Irecv(to, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(from, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* What happens between the start of an operation and its end. Of what is given and taken one may be NULL. */
static void complete(struct arguments *with, MPI_Request *request, int *given, int *taken) {
    int elsewhere = 1;
    switch (with->meanwhile) {
    case NOTHING:
    case FORGETS: break;
    case CHANGES: ++*given; break;
    case READS: seen = *taken; break;
    case SENDS_GIVEN: send_to_itself(given, &elsewhere); break;
    case SENDS_TAKEN: send_to_itself(taken, &elsewhere); break;
    case RECEIVES_GIVEN: send_to_itself(&elsewhere, given); break;
    case RECEIVES_TAKEN: send_to_itself(&elsewhere, taken); break;
    }
    if (with->meanwhile != FORGETS)
        MPI_Wait(request, MPI_STATUS_IGNORE);
}

/* Where the request is to be put. What is not put anywhere can be waited for all the same: no other call is wrong then. */
#define PLACE(request) (with->no_place ? NULL : &(request))
#define IN with->buffer
#define OUT with->other
#define PENDING(name, given, taken, ...)                      \
    static void do_##name##_pending(struct arguments *with) { \
        MPI_Request request = MPI_REQUEST_NULL;               \
        MPI_##name(__VA_ARGS__, PLACE(request));              \
        complete(with, &request, given, taken);               \
    }
#define STARTED(name, given, taken, ...)                      \
    static void do_##name##_pending(struct arguments *with) { \
        MPI_Request request = MPI_REQUEST_NULL;               \
        MPI_##name(__VA_ARGS__, PLACE(request));              \
        MPI_Start(&request);                                  \
        complete(with, &request, given, taken);               \
        MPI_Request_free(&request);                           \
    }

/* --- messages -------------------------------------------------------------------------------------------------------- */

PENDING(Isend, IN, NULL, SEND_ARGUMENTS)
PENDING(Issend, IN, NULL, SEND_ARGUMENTS)
PENDING(Irsend, IN, NULL, SEND_ARGUMENTS)
PENDING(Irecv, NULL, IN, SEND_ARGUMENTS)
PENDING(Isendrecv, IN, NULL, DATA, with->peer, with->tag, NULL, 0, MPI_INT, MPI_PROC_NULL, 0, with->communicator)
STARTED(Send_init, IN, NULL, SEND_ARGUMENTS)
STARTED(Ssend_init, IN, NULL, SEND_ARGUMENTS)
STARTED(Rsend_init, IN, NULL, SEND_ARGUMENTS)
STARTED(Recv_init, NULL, IN, SEND_ARGUMENTS)

static void do_Imrecv_pending(struct arguments *with) {
    MPI_Message message;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Mprobe(with->peer, with->tag, with->communicator, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(DATA, &message, PLACE(request));
    complete(with, &request, NULL, with->buffer);
}

/* --- collectives ----------------------------------------------------------------------------------------------------- */

static const int one_each[] = {1, 1}, places[] = {0, 1}, bytes[] = {0, sizeof(int)};
static const MPI_Datatype ints[] = {MPI_INT, MPI_INT};

/* As long as the operation is pending they are its own. */
static const MPI_Datatype *types_of(const struct arguments *with) {
    static MPI_Datatype types[2];
    types[0] = types[1] = with->type;
    return types;
}

/* Each call with its arguments up to the communicator, and what rank 0 gives and takes, as the root if there is one. */
#define ALL with->communicator
#define MADE with->communicator, with->info
#define TYPES types_of(with)
#define INTS ints
#define EACH one_each, places, MPI_INT
#define COLLECTIVES(BOTH)                                                                         \
    BOTH(Barrier, barrier, NULL, NULL, )                                                          \
    BOTH(Bcast, bcast, IN, NULL, DATA, with->peer, )                                              \
    BOTH(Gather, gather, IN, OUT, DATA, OUT, 1, MPI_INT, with->peer, )                            \
    BOTH(Gatherv, gatherv, IN, OUT, DATA, OUT, EACH, with->peer, )                                \
    BOTH(Scatter, scatter, OUT, IN, OUT, 1, MPI_INT, DATA, with->peer, )                          \
    BOTH(Scatterv, scatterv, OUT, IN, OUT, EACH, DATA, with->peer, )                              \
    BOTH(Allgather, allgather, IN, OUT, DATA, OUT, 1, MPI_INT, )                                  \
    BOTH(Allgatherv, allgatherv, IN, OUT, DATA, OUT, EACH, )                                      \
    BOTH(Alltoall, alltoall, IN, OUT, DATA, OUT, 1, MPI_INT, )                                    \
    BOTH(Alltoallv, alltoallv, IN, OUT, IN, one_each, places, with->type, OUT, EACH, )            \
    BOTH(Alltoallw, alltoallw, IN, OUT, IN, one_each, bytes, TYPES, OUT, one_each, bytes, INTS, ) \
    BOTH(Reduce, reduce, IN, OUT, REDUCTION, with->peer, )                                        \
    BOTH(Allreduce, allreduce, IN, OUT, REDUCTION, )                                              \
    BOTH(Scan, scan, IN, OUT, REDUCTION, )                                                        \
    BOTH(Exscan, exscan, IN, NULL, REDUCTION, ) /* the first rank has no result */                \
    BOTH(Reduce_scatter_block, reduce_scatter_block, IN, OUT, REDUCTION, )                        \
    BOTH(Reduce_scatter, reduce_scatter, IN, OUT, IN, OUT, one_each, with->type, with->op, )
#define BOTH_FORMS(name, nonblocking, given, taken, ...)   \
    PENDING(I##nonblocking, given, taken, __VA_ARGS__ ALL) \
    STARTED(name##_init, given, taken, __VA_ARGS__ MADE)
COLLECTIVES(BOTH_FORMS)
#undef BOTH_FORMS

/* --- neighbourhoods: each rank is the other's only neighbour ------------------------------------------------------------ */

static MPI_Comm couple(void) {
    MPI_Comm made;
    const int other = other_rank();
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, MPI_UNWEIGHTED, 1, &other, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &made);
    return made;
}

static const MPI_Aint start_of_all[] = {0};

#define IN_COUPLE(name, call)                       \
    static void do_##name(struct arguments *with) { \
        MPI_Comm both = couple();                   \
        call;                                       \
        MPI_Comm_free(&both);                       \
    }
#define NEIGHBOURS(name, nonblocking, ...)                                                             \
    IN_COUPLE(name, MPI_##name(__VA_ARGS__, both))                                                     \
    IN_COUPLE(nonblocking##_pending, MPI_Request request = MPI_REQUEST_NULL;                           \
              MPI_##nonblocking(__VA_ARGS__, both, PLACE(request)); complete(with, &request, IN, OUT)) \
    IN_COUPLE(name##_init_pending, MPI_Request request = MPI_REQUEST_NULL;                             \
              MPI_##name##_init(__VA_ARGS__, both, with->info, PLACE(request)); MPI_Start(&request);   \
              complete(with, &request, IN, OUT); MPI_Request_free(&request))
NEIGHBOURS(Neighbor_allgather, Ineighbor_allgather, DATA, OUT, 1, MPI_INT)
NEIGHBOURS(Neighbor_allgatherv, Ineighbor_allgatherv, DATA, OUT, EACH)
NEIGHBOURS(Neighbor_alltoall, Ineighbor_alltoall, DATA, OUT, 1, MPI_INT)
NEIGHBOURS(Neighbor_alltoallv, Ineighbor_alltoallv, IN, &with->count, places, with->type, OUT, EACH)
NEIGHBOURS(Neighbor_alltoallw, Ineighbor_alltoallw, IN, &with->count, start_of_all, TYPES, OUT, one_each, start_of_all, INTS)

/* --- windows --------------------------------------------------------------------------------------------------------- */

static int fetched[ELEMENTS];

#define AT_TARGET with->peer, with->displacement, with->count, MPI_INT
PENDING(Rput, IN, NULL, DATA, AT_TARGET, with->window)
PENDING(Rget, NULL, IN, DATA, AT_TARGET, with->window)
PENDING(Raccumulate, IN, NULL, DATA, AT_TARGET, with->op, with->window)
PENDING(Rget_accumulate, IN, fetched, DATA, fetched, with->count, MPI_INT, AT_TARGET, with->op, with->window)

/* --- files ------------------------------------------------------------------------------------------------------------- */

#define FILE_PENDING(name, given, taken, ...)                 \
    static void do_##name##_pending(struct arguments *with) { \
        MPI_Request request = MPI_REQUEST_NULL;               \
        MPI_##name(with->file, __VA_ARGS__, PLACE(request));  \
        complete(with, &request, given, taken);               \
    }
/* One that is begun and ended: there is no request. */
#define FILE_SPLIT(name, given, taken, ...)                         \
    static void do_##name##_begin_pending(struct arguments *with) { \
        MPI_Request none = MPI_REQUEST_NULL;                        \
        MPI_##name##_begin(with->file, __VA_ARGS__);                \
        complete(with, &none, given, taken);                        \
        MPI_##name##_end(with->file, IN, MPI_STATUS_IGNORE);        \
    }
FILE_PENDING(File_iwrite, IN, NULL, DATA)
FILE_PENDING(File_iwrite_at, IN, NULL, 0, DATA)
FILE_PENDING(File_iwrite_shared, IN, NULL, DATA)
FILE_PENDING(File_iwrite_all, IN, NULL, DATA)
FILE_PENDING(File_iwrite_at_all, IN, NULL, 0, DATA)
FILE_PENDING(File_iread, NULL, IN, DATA)
FILE_PENDING(File_iread_at, NULL, IN, 0, DATA)
FILE_PENDING(File_iread_shared, NULL, IN, DATA)
FILE_PENDING(File_iread_all, NULL, IN, DATA)
FILE_PENDING(File_iread_at_all, NULL, IN, 0, DATA)
FILE_SPLIT(File_write_all, IN, NULL, DATA)
FILE_SPLIT(File_write_at_all, IN, NULL, 0, DATA)
FILE_SPLIT(File_write_ordered, IN, NULL, DATA)
FILE_SPLIT(File_read_all, NULL, IN, DATA)
FILE_SPLIT(File_read_at_all, NULL, IN, 0, DATA)
FILE_SPLIT(File_read_ordered, NULL, IN, DATA)

#define FAMILY_PENDING(name, has, side) \
    { #name "_pending", has, side, do_##name##_pending }
#define MADE_ONCE HAS_NEW_REQUEST
#define LEFT (HAS_PENDING | HAS_NEW_REQUEST)
#define OPEN (HAS_FILE | HAS_OPEN_FILE | HAS_NEW_REQUEST)
#define GIVES HAS_GIVEN
#define TAKES HAS_TAKEN
#define MOVED (HAS_DATA | HAS_MATCHED_TYPE | HAS_TWO_BUFFERS)
#define BLOCK (HAS_TYPE | HAS_MATCHED_TYPE | HAS_TWO_BUFFERS)
#define COLLECTIVE_FORMS(name, nonblocking, has)              \
    FAMILY_PENDING(I##nonblocking, LEFT | (has), COLLECTIVE), \
        FAMILY_PENDING(name##_init, MADE_ONCE | ((has) & (GIVES | TAKES | HAS_ROOT | HAS_ACROSS)), COLLECTIVE)
#define NEIGHBOUR_FORMS(name, nonblocking, has)                                                           \
    FAMILY(name, has, COLLECTIVE), FAMILY_PENDING(nonblocking, LEFT | GIVES | TAKES | (has), COLLECTIVE), \
        FAMILY_PENDING(name##_init, MADE_ONCE | GIVES | TAKES | HAS_INFO, COLLECTIVE)

const struct family pending_families[] = {
    FAMILY_PENDING(Isend, LEFT | GIVES, SENDS),
    FAMILY_PENDING(Issend, LEFT | GIVES, SENDS),
    FAMILY_PENDING(Irsend, LEFT | GIVES | HAS_READY, SENDS),
    FAMILY_PENDING(Isendrecv, LEFT | GIVES, SENDS),
    FAMILY_PENDING(Irecv, LEFT | TAKES, RECEIVES),
    FAMILY_PENDING(Imrecv, LEFT | TAKES, RECEIVES),
    FAMILY_PENDING(Send_init, MADE_ONCE | GIVES, SENDS),
    FAMILY_PENDING(Ssend_init, MADE_ONCE | GIVES, SENDS),
    FAMILY_PENDING(Rsend_init, MADE_ONCE | GIVES | HAS_READY, SENDS),
    FAMILY_PENDING(Recv_init, MADE_ONCE | TAKES, RECEIVES),
    COLLECTIVE_FORMS(Barrier, barrier, 0 | HAS_ACROSS),
    COLLECTIVE_FORMS(Bcast, bcast, GIVES | HAS_ROOT | HAS_ACROSS),
    COLLECTIVE_FORMS(Gather, gather, GIVES | TAKES | HAS_ROOT | HAS_ACROSS),
    COLLECTIVE_FORMS(Gatherv, gatherv, GIVES | TAKES | ROOTED | HAS_TWO_BUFFERS | HAS_ACROSS),
    COLLECTIVE_FORMS(Scatter, scatter, GIVES | TAKES | HAS_ROOT | HAS_ACROSS),
    COLLECTIVE_FORMS(Scatterv, scatterv, GIVES | TAKES | ROOTED | HAS_TWO_BUFFERS | HAS_ACROSS),
    COLLECTIVE_FORMS(Allgather, allgather, GIVES | TAKES | HAS_ACROSS),
    COLLECTIVE_FORMS(Allgatherv, allgatherv, GIVES | TAKES | HAS_COMMUNICATOR | MOVED | HAS_ACROSS),
    COLLECTIVE_FORMS(Alltoall, alltoall, GIVES | TAKES | HAS_ACROSS),
    COLLECTIVE_FORMS(Alltoallv, alltoallv, GIVES | TAKES | HAS_COMMUNICATOR | BLOCK | HAS_ACROSS),
    COLLECTIVE_FORMS(Alltoallw, alltoallw, GIVES | TAKES | HAS_COMMUNICATOR | BLOCK | HAS_ACROSS),
    COLLECTIVE_FORMS(Reduce, reduce, GIVES | TAKES | HAS_ROOT | HAS_ACROSS),
    COLLECTIVE_FORMS(Allreduce, allreduce, GIVES | TAKES | HAS_ACROSS),
    COLLECTIVE_FORMS(Scan, scan, GIVES | TAKES),
    COLLECTIVE_FORMS(Exscan, exscan, GIVES),
    COLLECTIVE_FORMS(Reduce_scatter_block, reduce_scatter_block, GIVES | TAKES | HAS_ACROSS),
    COLLECTIVE_FORMS(Reduce_scatter, reduce_scatter, GIVES | TAKES | HAS_COMMUNICATOR | HAS_OPERATOR | BLOCK | HAS_ACROSS),
    NEIGHBOUR_FORMS(Neighbor_allgather, Ineighbor_allgather, MOVED),
    NEIGHBOUR_FORMS(Neighbor_allgatherv, Ineighbor_allgatherv, MOVED),
    NEIGHBOUR_FORMS(Neighbor_alltoall, Ineighbor_alltoall, MOVED),
    NEIGHBOUR_FORMS(Neighbor_alltoallv, Ineighbor_alltoallv, MOVED),
    NEIGHBOUR_FORMS(Neighbor_alltoallw, Ineighbor_alltoallw, MOVED),
    FAMILY_PENDING(Rput, LEFT | GIVES, ACCESSES),
    FAMILY_PENDING(Rget, LEFT | TAKES, ACCESSES),
    FAMILY_PENDING(Raccumulate, LEFT | GIVES, ACCESSES),
    FAMILY_PENDING(Rget_accumulate, LEFT | GIVES | TAKES, ACCESSES),
    FAMILY_PENDING(File_iwrite, OPEN | GIVES, LOCAL),
    FAMILY_PENDING(File_iwrite_at, OPEN | GIVES | HAS_DATA, LOCAL),
    FAMILY_PENDING(File_iwrite_shared, OPEN | GIVES | HAS_DATA, LOCAL),
    FAMILY_PENDING(File_iwrite_all, OPEN | GIVES | HAS_DATA, LOCAL),
    FAMILY_PENDING(File_iwrite_at_all, OPEN | GIVES | HAS_DATA, LOCAL),
    FAMILY_PENDING(File_iread, OPEN | TAKES | HAS_DATA, LOCAL),
    FAMILY_PENDING(File_iread_at, OPEN | TAKES | HAS_DATA, LOCAL),
    FAMILY_PENDING(File_iread_shared, OPEN | TAKES | HAS_DATA, LOCAL),
    FAMILY_PENDING(File_iread_all, OPEN | TAKES | HAS_DATA, LOCAL),
    FAMILY_PENDING(File_iread_at_all, OPEN | TAKES | HAS_DATA, LOCAL),
    FAMILY_PENDING(File_write_all_begin, HAS_FILE | GIVES | HAS_DATA, LOCAL),
    FAMILY_PENDING(File_write_at_all_begin, HAS_FILE | GIVES | HAS_DATA, LOCAL),
    FAMILY_PENDING(File_write_ordered_begin, HAS_FILE | GIVES | HAS_DATA, LOCAL),
    FAMILY_PENDING(File_read_all_begin, HAS_FILE | TAKES | HAS_DATA, LOCAL),
    FAMILY_PENDING(File_read_at_all_begin, HAS_FILE | TAKES | HAS_DATA, LOCAL),
    FAMILY_PENDING(File_read_ordered_begin, HAS_FILE | TAKES | HAS_DATA, LOCAL),
};
const int pending_family_count = sizeof pending_families / sizeof pending_families[0];
