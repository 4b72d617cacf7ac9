/* The calls of MPI-4.0, one for each way that they take through the library: each is checked as its siblings are. */
#include "rules.h"

#include <stddef.h>

/* --- for large counts ------------------------------------------------------------------------------------------------ */

static void do_Send_c(struct arguments *with) { MPI_Send_c(SEND_ARGUMENTS); }
static void do_Recv_c(struct arguments *with) { MPI_Recv_c(SEND_ARGUMENTS, MPI_STATUS_IGNORE); }

#define NONBLOCKING(name, ...)                      \
    static void do_##name(struct arguments *with) { \
        MPI_Request request;                        \
        MPI_##name(__VA_ARGS__, &request);          \
        WAIT(request);                              \
    }
NONBLOCKING(Isend_c, SEND_ARGUMENTS)
NONBLOCKING(Irecv_c, SEND_ARGUMENTS)

static void start(MPI_Request request) {
    MPI_Start(&request);
    WAIT(request);
    MPI_Request_free(&request);
}

#define PERSISTENT(name, ...)                       \
    static void do_##name(struct arguments *with) { \
        MPI_Request request;                        \
        MPI_##name(__VA_ARGS__, &request);          \
        start(request);                             \
    }
PERSISTENT(Send_init_c, SEND_ARGUMENTS)
PERSISTENT(Recv_init_c, SEND_ARGUMENTS)

static void do_Bcast_c(struct arguments *with) { MPI_Bcast_c(DATA, with->peer, with->communicator); }
static void do_Allreduce_c(struct arguments *with) { MPI_Allreduce_c(REDUCTION, with->communicator); }
NONBLOCKING(Ibcast_c, DATA, with->peer, with->communicator)

static void do_Put_c(struct arguments *with) {
    MPI_Put_c(DATA, with->peer, with->displacement, with->count, MPI_INT, with->window);
}

static void do_File_write_c(struct arguments *with) { MPI_File_write_c(with->file, DATA, MPI_STATUS_IGNORE); }

/* --- combined ---------------------------------------------------------------------------------------------------------- */

NONBLOCKING(Isendrecv, DATA, with->peer, with->tag, NULL, 0, MPI_INT, MPI_PROC_NULL, 0, with->communicator)
NONBLOCKING(Isendrecv_replace, DATA, with->peer, with->tag, MPI_PROC_NULL, 0, with->communicator)

static void do_Isendrecv_to_receive(struct arguments *with) {
    MPI_Request request;
    MPI_Isendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, DATA, with->peer, with->tag, with->communicator, &request);
    WAIT(request);
}

static void do_Isendrecv_with_itself(struct arguments *with) {
    MPI_Request request;
    MPI_Isendrecv(DATA, 0, 0, with->other, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    WAIT(request);
}

/* --- made once and started ------------------------------------------------------------------------------------------- */

#define MADE with->communicator, with->info
PERSISTENT(Barrier_init, MADE)
PERSISTENT(Bcast_init, DATA, with->peer, MADE)
PERSISTENT(Gather_init, DATA, with->other, 1, MPI_INT, with->peer, MADE)
PERSISTENT(Scatter_init, with->other, 1, MPI_INT, DATA, with->peer, MADE)
PERSISTENT(Allgather_init, DATA, with->other, 1, MPI_INT, MADE)
PERSISTENT(Alltoall_init, DATA, with->other, 1, MPI_INT, MADE)
PERSISTENT(Reduce_init, REDUCTION, with->peer, MADE)
PERSISTENT(Allreduce_init, REDUCTION, MADE)
PERSISTENT(Scan_init, REDUCTION, MADE)
PERSISTENT(Reduce_scatter_block_init_c, REDUCTION, MADE)

/* --- communicators --------------------------------------------------------------------------------------------------- */

static void do_Comm_disconnect(struct arguments *with) {
    MPI_Comm copy = with->communicator;
    if (copy == MPI_COMM_WORLD)
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_disconnect(&copy);
}

static void do_Comm_idup_with_info(struct arguments *with) {
    MPI_Comm copy;
    MPI_Request request;
    MPI_Comm_idup_with_info(with->communicator, with->info, &copy, &request);
    WAIT(request);
    MPI_Comm_free(&copy);
}

static void do_Comm_dup_with_info(struct arguments *with) {
    MPI_Comm copy;
    MPI_Comm_dup_with_info(with->communicator, with->info, &copy);
    MPI_Comm_free(&copy);
}

#define MADE_MOVING (MOVES | HAS_AGREED_TYPE | HAS_TWO_BUFFERS | HAS_INFO)

const struct family young_families[] = {
    FAMILY(Send_c, TO | HAS_BUFFERING, SENDS),
    FAMILY(Isend_c, TO | HAS_BUFFERING, SENDS),
    FAMILY(Send_init_c, TO | HAS_BUFFERING, SENDS),
    FAMILY(Isendrecv, TO | HAS_BUFFERING, SENDS),
    FAMILY(Isendrecv_replace, TO | HAS_BUFFERING, SENDS),
    FAMILY(Recv_c, FROM, RECEIVES),
    FAMILY(Irecv_c, FROM, RECEIVES),
    FAMILY(Recv_init_c, FROM, RECEIVES),
    FAMILY(Isendrecv_to_receive, FROM, RECEIVES),
    FAMILY(Isendrecv_with_itself, HAS_DATA | HAS_TWO_BUFFERS, LOCAL),
    FAMILY(Bcast_c, ROOTED | HAS_ACROSS, COLLECTIVE),
    FAMILY(Ibcast_c, ROOTED | HAS_ACROSS, COLLECTIVE),
    FAMILY(Allreduce_c, REDUCES | HAS_ACROSS, COLLECTIVE),
    FAMILY(Put_c, PUTS, ACCESSES),
    FAMILY(File_write_c, HAS_FILE | HAS_DATA, LOCAL),
    FAMILY(Barrier_init, HAS_COMMUNICATOR | HAS_INFO | HAS_ACROSS, COLLECTIVE),
    FAMILY(Bcast_init, ROOTED | HAS_INFO | HAS_ACROSS, COLLECTIVE),
    FAMILY(Gather_init, MADE_MOVING | HAS_ROOT | HAS_ACROSS, COLLECTIVE),
    FAMILY(Scatter_init, MADE_MOVING | HAS_ROOT | HAS_ACROSS, COLLECTIVE),
    FAMILY(Allgather_init, MADE_MOVING | HAS_ACROSS, COLLECTIVE),
    FAMILY(Alltoall_init, MADE_MOVING | HAS_ACROSS, COLLECTIVE),
    FAMILY(Reduce_init, REDUCES | HAS_ROOT | HAS_INFO | HAS_ACROSS, COLLECTIVE),
    FAMILY(Allreduce_init, REDUCES | HAS_INFO | HAS_ACROSS, COLLECTIVE),
    FAMILY(Scan_init, REDUCES | HAS_INFO, COLLECTIVE),
    FAMILY(Reduce_scatter_block_init_c, REDUCES | HAS_INFO | HAS_ACROSS, COLLECTIVE),
    FAMILY(Comm_disconnect, HAS_COMMUNICATOR, COLLECTIVE),
    FAMILY(Comm_dup_with_info, HAS_COMMUNICATOR | HAS_INFO | HAS_ACROSS, COLLECTIVE),
    FAMILY(Comm_idup_with_info, HAS_COMMUNICATOR | HAS_INFO | HAS_ACROSS, COLLECTIVE),
};
const int young_family_count = sizeof young_families / sizeof young_families[0];
