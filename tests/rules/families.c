/* The calls. Blocking or not, each is over when its function returns. */
#include "rules.h"

#include <stdlib.h>

#define BLOCKING_SEND(name) \
    static void do_##name(struct arguments *with) { MPI_##name(SEND_ARGUMENTS); }
BLOCKING_SEND(Send)
BLOCKING_SEND(Ssend)
BLOCKING_SEND(Rsend)

#define NONBLOCKING(name)                           \
    static void do_##name(struct arguments *with) { \
        MPI_Request request;                        \
        MPI_##name(SEND_ARGUMENTS, &request);       \
        WAIT(request);                              \
    }
NONBLOCKING(Isend)
NONBLOCKING(Issend)
NONBLOCKING(Irsend)
NONBLOCKING(Irecv)

#define PERSISTENT(name)                            \
    static void do_##name(struct arguments *with) { \
        MPI_Request request;                        \
        MPI_##name(SEND_ARGUMENTS, &request);       \
        MPI_Start(&request);                        \
        WAIT(request);                              \
        if (!with->keeps)                           \
            MPI_Request_free(&request);             \
    }
PERSISTENT(Send_init)
PERSISTENT(Ssend_init)
PERSISTENT(Rsend_init)
PERSISTENT(Recv_init)

static bool attached;

static void attach(void) {
    if (attached)
        return;
    attached = true;
    int size = 1000 + MPI_BSEND_OVERHEAD;
    MPI_Buffer_attach(malloc((size_t)size), size);
}

static void detach(const struct arguments *with) {
    if (with->keeps)
        return;
    attached = false;
    void *buffer;
    int size;
    MPI_Buffer_detach(&buffer, &size);
    free(buffer);
}

static void do_Bsend(struct arguments *with) {
    attach();
    MPI_Bsend(SEND_ARGUMENTS);
    detach(with);
}

static void do_Ibsend(struct arguments *with) {
    attach();
    MPI_Request request;
    MPI_Ibsend(SEND_ARGUMENTS, &request);
    WAIT(request);
    detach(with);
}

static void do_Bsend_init(struct arguments *with) {
    attach();
    MPI_Request request;
    MPI_Bsend_init(SEND_ARGUMENTS, &request);
    MPI_Start(&request);
    WAIT(request);
    MPI_Request_free(&request);
    detach(with);
}

static void do_Recv(struct arguments *with) { MPI_Recv(SEND_ARGUMENTS, MPI_STATUS_IGNORE); }

static void do_Sendrecv(struct arguments *with) {
    MPI_Sendrecv(DATA, with->peer, with->tag, NULL, 0, MPI_INT, MPI_PROC_NULL, 0, with->communicator, MPI_STATUS_IGNORE);
}

static void do_Sendrecv_to_receive(struct arguments *with) {
    MPI_Sendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, DATA, with->peer, with->tag, with->communicator, MPI_STATUS_IGNORE);
}

static void do_Sendrecv_with_itself(struct arguments *with) {
    MPI_Sendrecv(DATA, 0, 0, with->other, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void do_Sendrecv_replace(struct arguments *with) {
    MPI_Sendrecv_replace(DATA, with->peer, with->tag, MPI_PROC_NULL, 0, with->communicator, MPI_STATUS_IGNORE);
}

static void receive_probed(struct arguments *with) { MPI_Recv(SEND_ARGUMENTS, MPI_STATUS_IGNORE); }

static void do_Probe(struct arguments *with) {
    MPI_Probe(with->peer, with->tag, with->communicator, MPI_STATUS_IGNORE);
    receive_probed(with);
}

static void do_Iprobe(struct arguments *with) {
    int flag;
    MPI_Iprobe(with->peer, with->tag, with->communicator, &flag, MPI_STATUS_IGNORE);
    receive_probed(with);
}

static void do_Mrecv(struct arguments *with) {
    MPI_Message message;
    MPI_Mprobe(with->peer, with->tag, with->communicator, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(with->buffer, with->count, with->type, &message, MPI_STATUS_IGNORE);
}

static void do_Imrecv(struct arguments *with) {
    MPI_Message message;
    MPI_Request request;
    int flag = 0;
    while (!flag)
        MPI_Improbe(with->peer, with->tag, with->communicator, &flag, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(with->buffer, with->count, with->type, &message, &request);
    WAIT(request);
}

/* --- collectives ----------------------------------------------------------------------------------------------------- */

static const int one_each[] = {1, 1}, places[] = {0, 1}, bytes[] = {0, sizeof(int)};

#define COLLECTIVE_CALL(name, ...) \
    static void do_##name(struct arguments *with) { MPI_##name(__VA_ARGS__, with->communicator); }

static void do_Barrier(struct arguments *with) { MPI_Barrier(with->communicator); }
COLLECTIVE_CALL(Bcast, DATA, with->peer)
COLLECTIVE_CALL(Gather, DATA, with->other, 1, MPI_INT, with->peer)
COLLECTIVE_CALL(Gatherv, DATA, with->other, one_each, places, MPI_INT, with->peer)
COLLECTIVE_CALL(Scatter, with->other, 1, MPI_INT, DATA, with->peer)
COLLECTIVE_CALL(Scatterv, with->other, one_each, places, MPI_INT, DATA, with->peer)
COLLECTIVE_CALL(Allgather, DATA, with->other, 1, MPI_INT)
COLLECTIVE_CALL(Allgatherv, DATA, with->other, one_each, places, MPI_INT)
COLLECTIVE_CALL(Alltoall, DATA, with->other, 1, MPI_INT)
COLLECTIVE_CALL(Reduce, REDUCTION, with->peer)
COLLECTIVE_CALL(Allreduce, REDUCTION)
COLLECTIVE_CALL(Scan, REDUCTION)
COLLECTIVE_CALL(Exscan, REDUCTION)
COLLECTIVE_CALL(Reduce_scatter_block, REDUCTION)
COLLECTIVE_CALL(Alltoallv, with->other + 2, one_each, places, with->type, with->other, one_each, places, MPI_INT)

static void do_Reduce_scatter(struct arguments *with) {
    MPI_Reduce_scatter(with->buffer, with->other, one_each, with->type, with->op, with->communicator);
}

static void do_Alltoallw(struct arguments *with) {
    const MPI_Datatype types[] = {with->type, MPI_INT}, right[] = {MPI_INT, MPI_INT};
    MPI_Alltoallw(with->buffer, one_each, bytes, types, with->other, one_each, bytes, right, with->communicator);
}

#define NONBLOCKING_COLLECTIVE(name, ...)                      \
    static void do_##name(struct arguments *with) {            \
        MPI_Request request;                                   \
        MPI_##name(__VA_ARGS__, with->communicator, &request); \
        WAIT(request);                                         \
    }
NONBLOCKING_COLLECTIVE(Ibcast, DATA, with->peer)
NONBLOCKING_COLLECTIVE(Igather, DATA, with->other, 1, MPI_INT, with->peer)
NONBLOCKING_COLLECTIVE(Iscatter, with->other, 1, MPI_INT, DATA, with->peer)
NONBLOCKING_COLLECTIVE(Iallgather, DATA, with->other, 1, MPI_INT)
NONBLOCKING_COLLECTIVE(Ialltoall, DATA, with->other, 1, MPI_INT)
NONBLOCKING_COLLECTIVE(Ireduce, REDUCTION, with->peer)
NONBLOCKING_COLLECTIVE(Iallreduce, REDUCTION)
NONBLOCKING_COLLECTIVE(Iscan, REDUCTION)
NONBLOCKING_COLLECTIVE(Iexscan, REDUCTION)
NONBLOCKING_COLLECTIVE(Ireduce_scatter_block, REDUCTION)

static void do_Ibarrier(struct arguments *with) {
    MPI_Request request;
    MPI_Ibarrier(with->communicator, &request);
    WAIT(request);
}

static void do_Comm_dup(struct arguments *with) {
    MPI_Comm copy;
    MPI_Comm_dup(with->communicator, &copy);
    if (!with->keeps)
        MPI_Comm_free(&copy);
}

static void do_Comm_split(struct arguments *with) {
    MPI_Comm half;
    MPI_Comm_split(with->communicator, with->count, 0, &half); /* a colour instead of a count */
    if (!with->keeps)
        MPI_Comm_free(&half);
}

/* --- local calls ----------------------------------------------------------------------------------------------------- */

static void do_Comm_size(struct arguments *with) { MPI_Comm_size(with->communicator, &with->count); }
static void do_Comm_rank(struct arguments *with) { MPI_Comm_rank(with->communicator, &with->count); }
static void do_Comm_set_name(struct arguments *with) { MPI_Comm_set_name(with->communicator, "name"); }
static void do_Comm_get_errhandler(struct arguments *with) {
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(with->communicator, &handler);
}

static void do_Comm_get_attr(struct arguments *with) {
    int *value, flag;
    MPI_Comm_get_attr(with->communicator, MPI_TAG_UB, &value, &flag);
}

static void do_Comm_group(struct arguments *with) {
    MPI_Group group;
    MPI_Comm_group(with->communicator, &group);
    if (!with->keeps)
        MPI_Group_free(&group);
}

static void do_Pack(struct arguments *with) {
    char packed[100];
    int position = 0;
    MPI_Pack(DATA, packed, sizeof packed, &position, with->communicator);
}

/* --- completion ------------------------------------------------------------------------------------------------------ */

static void do_Wait(struct arguments *with) { WAIT(with->request); }
static void do_Waitall(struct arguments *with) { MPI_Waitall(1, &with->request, MPI_STATUSES_IGNORE); }

static void do_Waitany(struct arguments *with) {
    int index;
    MPI_Waitany(1, &with->request, &index, MPI_STATUS_IGNORE);
}

static void do_Waitsome(struct arguments *with) {
    int index, count;
    MPI_Waitsome(1, &with->request, &count, &index, MPI_STATUSES_IGNORE);
}

static void do_Test(struct arguments *with) {
    for (int flag = 0; !flag;)
        MPI_Test(&with->request, &flag, MPI_STATUS_IGNORE);
}

static void do_Testall(struct arguments *with) {
    for (int flag = 0; !flag;)
        MPI_Testall(1, &with->request, &flag, MPI_STATUSES_IGNORE);
}

static void do_Testany(struct arguments *with) {
    int index;
    for (int flag = 0; !flag;)
        MPI_Testany(1, &with->request, &index, &flag, MPI_STATUS_IGNORE);
}

static void do_Testsome(struct arguments *with) {
    int index;
    for (int count = 0; !count;)
        MPI_Testsome(1, &with->request, &count, &index, MPI_STATUSES_IGNORE);
}

static void do_Request_get_status(struct arguments *with) {
    for (int flag = 0; !flag;)
        MPI_Request_get_status(with->request, &flag, MPI_STATUS_IGNORE);
    WAIT(with->request);
}

static void do_Request_free(struct arguments *with) {
    MPI_Request_free(&with->request);
    MPI_Barrier(MPI_COMM_WORLD);
}

#define FILE_ACCESS(name, ...) \
    static void do_##name(struct arguments *with) { MPI_##name(with->file, __VA_ARGS__, MPI_STATUS_IGNORE); }
FILE_ACCESS(File_read, DATA)
FILE_ACCESS(File_write, DATA)
FILE_ACCESS(File_write_at, 0, DATA)
FILE_ACCESS(File_write_all, DATA)
FILE_ACCESS(File_write_shared, DATA)
FILE_ACCESS(File_write_ordered, DATA)

static void do_File_iwrite(struct arguments *with) {
    MPI_Request request;
    MPI_File_iwrite(with->file, DATA, &request);
    WAIT(request);
}

static void do_File_set_view(struct arguments *with) {
    MPI_File_set_view(with->file, 0, MPI_BYTE, with->type, "native", MPI_INFO_NULL);
}

static void do_File_open(struct arguments *with) {
    MPI_File file;
    int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    if (MPI_File_open(with->communicator, "rules.out", mode, with->info, &file) == MPI_SUCCESS && !with->keeps)
        MPI_File_close(&file);
}

/* --- one-sided communication ------------------------------------------------------------------------------------------ */

static int fetched[ELEMENTS];

#define AT_TARGET with->peer, with->displacement, with->count
#define ACCESS(name, ...) \
    static void do_##name(struct arguments *with) { MPI_##name(__VA_ARGS__, with->window); }
#define ACCESS_WITH_REQUEST(name, ...)                   \
    static void do_##name(struct arguments *with) {      \
        MPI_Request request;                             \
        MPI_##name(__VA_ARGS__, with->window, &request); \
        WAIT(request);                                   \
    }
ACCESS(Put, DATA, AT_TARGET, MPI_INT)
ACCESS(Get, DATA, AT_TARGET, MPI_INT)
ACCESS(Accumulate, DATA, AT_TARGET, MPI_INT, with->op)
ACCESS(Get_accumulate, DATA, fetched, with->count, MPI_INT, AT_TARGET, MPI_INT, with->op)
ACCESS(Fetch_and_op, with->buffer, fetched, with->type, with->peer, with->displacement, with->op)
ACCESS(Compare_and_swap, with->buffer, with->other, fetched, with->type, with->peer, with->displacement)
ACCESS_WITH_REQUEST(Rput, DATA, AT_TARGET, MPI_INT)
ACCESS_WITH_REQUEST(Rget, DATA, AT_TARGET, MPI_INT)
ACCESS_WITH_REQUEST(Raccumulate, DATA, AT_TARGET, MPI_INT, with->op)
ACCESS_WITH_REQUEST(Rget_accumulate, DATA, fetched, with->count, MPI_INT, AT_TARGET, MPI_INT, with->op)

/* The buffers the other way round. */
static void do_Get_accumulate_to_result(struct arguments *with) {
    MPI_Get_accumulate(with->other, with->count, MPI_INT, DATA, AT_TARGET, MPI_INT, with->op, with->window);
}

/* The type at the target, where nothing but its size need be known. */
static void do_Put_there(struct arguments *with) {
    MPI_Put(with->buffer, 1, MPI_INT, with->peer, with->displacement, with->count, with->type, with->window);
}

static void do_Win_flush(struct arguments *with) { MPI_Win_flush(with->peer, with->window); }
static void do_Win_flush_local(struct arguments *with) { MPI_Win_flush_local(with->peer, with->window); }
static void do_Win_flush_all(struct arguments *with) { MPI_Win_flush_all(with->window); }
static void do_Win_flush_local_all(struct arguments *with) { MPI_Win_flush_local_all(with->window); }
static void do_Win_sync(struct arguments *with) { MPI_Win_sync(with->window); }

static void do_Win_lock(struct arguments *with) {
    MPI_Win_lock(with->lock, with->peer, with->assertion, with->window);
    MPI_Win_unlock(with->peer, with->window);
}

static void do_Win_lock_all(struct arguments *with) {
    MPI_Win_lock_all(with->assertion, with->window);
    MPI_Win_unlock_all(with->window);
}

/* Nobody is exposed to. */
static void do_Win_post(struct arguments *with) {
    MPI_Win_post(MPI_GROUP_EMPTY, with->assertion, with->window);
    MPI_Win_wait(with->window);
}

static void do_Win_start(struct arguments *with) {
    MPI_Win_start(MPI_GROUP_EMPTY, with->assertion, with->window);
    MPI_Win_complete(with->window);
}

static void do_Win_get_group(struct arguments *with) {
    MPI_Group group;
    MPI_Win_get_group(with->window, &group);
    if (!with->keeps)
        MPI_Group_free(&group);
}

static void do_Win_get_info(struct arguments *with) {
    MPI_Info info;
    MPI_Win_get_info(with->window, &info);
    if (!with->keeps)
        MPI_Info_free(&info);
}

static void do_Win_set_info(struct arguments *with) {
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Win_set_info(with->window, info);
    MPI_Info_free(&info);
}

static void do_Win_set_name(struct arguments *with) { MPI_Win_set_name(with->window, "window"); }

static void do_Win_get_name(struct arguments *with) {
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Win_get_name(with->window, name, &length);
}

static void do_Win_get_attr(struct arguments *with) {
    void *value;
    int flag;
    MPI_Win_get_attr(with->window, MPI_WIN_BASE, &value, &flag);
}

static void do_Win_get_errhandler(struct arguments *with) {
    MPI_Errhandler handler;
    MPI_Win_get_errhandler(with->window, &handler);
}

static void do_Win_set_errhandler(struct arguments *with) { MPI_Win_set_errhandler(with->window, MPI_ERRORS_ARE_FATAL); }

static void do_Win_create(struct arguments *with) {
    MPI_Win window;
    MPI_Win_create(with->buffer, with->count, 1, with->info, with->communicator, &window);
    if (!with->keeps)
        MPI_Win_free(&window);
}

static void do_Win_create_dynamic(struct arguments *with) {
    MPI_Win window;
    MPI_Win_create_dynamic(with->info, with->communicator, &window);
    MPI_Win_attach(window, fetched, sizeof fetched);
    MPI_Win_detach(window, fetched);
    if (!with->keeps)
        MPI_Win_free(&window);
}

static void allocate(int (*call)(MPI_Aint, int, MPI_Info, MPI_Comm, void *, MPI_Win *), struct arguments *with) {
    MPI_Win window;
    void *memory;
    call(with->count, 1, with->info, with->communicator, &memory, &window);
    if (!with->keeps)
        MPI_Win_free(&window);
}

static void do_Win_allocate(struct arguments *with) { allocate(MPI_Win_allocate, with); }
static void do_Win_allocate_shared(struct arguments *with) { allocate(MPI_Win_allocate_shared, with); }

static void do_Win_fence(struct arguments *with) {
    MPI_Win window;
    MPI_Win_create(with->other, sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(with->assertion, window);
    MPI_Win_free(&window);
}

#define PROBES (HAS_COMMUNICATOR | HAS_PEER)
#define ACCUMULATES (PUTS | HAS_ATOMIC | HAS_OPERATOR)
#define LOCKED (HAS_WINDOW | HAS_LOCKS)
#define OPENS (HAS_WINDOW | HAS_ASSERTION | HAS_UNLOCKED)

const struct family families[] = {
    FAMILY(Send, TO | HAS_BUFFERING, SENDS),
    FAMILY(Ssend, TO, SENDS),
    FAMILY(Rsend, TO | HAS_READY, SENDS),
    FAMILY(Bsend, TO | HAS_ATTACHED, SENDS),
    FAMILY(Isend, TO | HAS_BUFFERING, SENDS),
    FAMILY(Issend, TO, SENDS),
    FAMILY(Irsend, TO | HAS_READY, SENDS),
    FAMILY(Ibsend, TO | HAS_ATTACHED, SENDS),
    FAMILY(Send_init, TO | HAS_OBJECT | HAS_BUFFERING, SENDS),
    FAMILY(Ssend_init, TO | HAS_OBJECT, SENDS),
    FAMILY(Rsend_init, TO | HAS_READY | HAS_OBJECT, SENDS),
    FAMILY(Bsend_init, TO | HAS_ATTACHED, SENDS),
    FAMILY(Sendrecv, TO | HAS_BUFFERING, SENDS),
    FAMILY(Sendrecv_replace, TO | HAS_BUFFERING, SENDS),
    FAMILY(Sendrecv_with_itself, HAS_DATA | HAS_TWO_BUFFERS, LOCAL),
    FAMILY(Recv, FROM, RECEIVES),
    FAMILY(Irecv, FROM, RECEIVES),
    FAMILY(Recv_init, FROM | HAS_OBJECT, RECEIVES),
    FAMILY(Sendrecv_to_receive, FROM, RECEIVES),
    FAMILY(Mrecv, FROM, RECEIVES),
    FAMILY(Imrecv, FROM | HAS_POLLING, RECEIVES),
    FAMILY(Probe, PROBES, RECEIVES),
    FAMILY(Iprobe, PROBES, RECEIVES),
    FAMILY(Barrier, HAS_COMMUNICATOR | HAS_ACROSS, COLLECTIVE),
    FAMILY(Bcast, ROOTED | HAS_ACROSS, COLLECTIVE),
    FAMILY(Gather, ROOTED | HAS_TWO_BUFFERS | HAS_ACROSS, COLLECTIVE),
    FAMILY(Gatherv, (ROOTED & ~HAS_AGREED_TYPE) | HAS_MATCHED_TYPE | HAS_TWO_BUFFERS | HAS_ACROSS, COLLECTIVE),
    FAMILY(Scatter, ROOTED | HAS_TWO_BUFFERS | HAS_ACROSS, COLLECTIVE),
    FAMILY(Scatterv, (ROOTED & ~HAS_AGREED_TYPE) | HAS_MATCHED_TYPE | HAS_TWO_BUFFERS | HAS_ACROSS, COLLECTIVE),
    FAMILY(Allgather, MOVES | HAS_AGREED_TYPE | HAS_TWO_BUFFERS | HAS_ACROSS, COLLECTIVE),
    FAMILY(Allgatherv, MOVES | HAS_MATCHED_TYPE | HAS_TWO_BUFFERS | HAS_ACROSS, COLLECTIVE),
    FAMILY(Alltoall, MOVES | HAS_AGREED_TYPE | HAS_TWO_BUFFERS | HAS_ACROSS, COLLECTIVE),
    FAMILY(Alltoallv, HAS_COMMUNICATOR | HAS_TYPE | HAS_MATCHED_TYPE | HAS_ACROSS, COLLECTIVE),
    FAMILY(Alltoallw, HAS_COMMUNICATOR | HAS_TYPE | HAS_MATCHED_TYPE | HAS_ACROSS, COLLECTIVE),
    FAMILY(Reduce, REDUCES | HAS_ROOT | HAS_ACROSS, COLLECTIVE),
    FAMILY(Allreduce, REDUCES | HAS_ACROSS, COLLECTIVE),
    FAMILY(Scan, REDUCES, COLLECTIVE),
    FAMILY(Exscan, REDUCES & ~HAS_TWO_BUFFERS, COLLECTIVE), /* the first rank has no result: tests/programs/exscan_first.c */
    FAMILY(Reduce_scatter_block, REDUCES | HAS_ACROSS, COLLECTIVE),
    FAMILY(Reduce_scatter, HAS_COMMUNICATOR | HAS_TYPE | HAS_AGREED_TYPE | HAS_OPERATOR | HAS_TWO_BUFFERS | HAS_ACROSS,
           COLLECTIVE),
    FAMILY(Ibarrier, HAS_COMMUNICATOR | HAS_ACROSS, COLLECTIVE),
    FAMILY(Ibcast, ROOTED | HAS_ACROSS, COLLECTIVE),
    FAMILY(Igather, ROOTED | HAS_TWO_BUFFERS | HAS_ACROSS, COLLECTIVE),
    FAMILY(Iscatter, ROOTED | HAS_TWO_BUFFERS | HAS_ACROSS, COLLECTIVE),
    FAMILY(Iallgather, MOVES | HAS_AGREED_TYPE | HAS_TWO_BUFFERS | HAS_ACROSS, COLLECTIVE),
    FAMILY(Ialltoall, MOVES | HAS_AGREED_TYPE | HAS_TWO_BUFFERS | HAS_ACROSS, COLLECTIVE),
    FAMILY(Ireduce, REDUCES | HAS_ROOT | HAS_ACROSS, COLLECTIVE),
    FAMILY(Iallreduce, REDUCES | HAS_ACROSS, COLLECTIVE),
    FAMILY(Iscan, REDUCES, COLLECTIVE),
    FAMILY(Iexscan, REDUCES & ~HAS_TWO_BUFFERS, COLLECTIVE),
    FAMILY(Ireduce_scatter_block, REDUCES | HAS_ACROSS, COLLECTIVE),
    FAMILY(Comm_dup, HAS_COMMUNICATOR | HAS_ACROSS | HAS_OBJECT, COLLECTIVE),
    FAMILY(Comm_split, HAS_COMMUNICATOR | HAS_COLOR | HAS_OBJECT, COLLECTIVE),
    FAMILY(Comm_size, HAS_COMMUNICATOR | HAS_ACROSS, LOCAL),
    FAMILY(Comm_rank, HAS_COMMUNICATOR | HAS_ACROSS, LOCAL),
    FAMILY(Comm_set_name, HAS_COMMUNICATOR | HAS_ACROSS, LOCAL),
    FAMILY(Comm_get_errhandler, HAS_COMMUNICATOR, LOCAL),
    FAMILY(Comm_get_attr, HAS_COMMUNICATOR, LOCAL),
    FAMILY(Comm_group, HAS_COMMUNICATOR | HAS_ACROSS | HAS_OBJECT, LOCAL),
    FAMILY(Pack, HAS_COMMUNICATOR | HAS_DATA, LOCAL),
    FAMILY(File_read, HAS_FILE | HAS_DATA, LOCAL),
    FAMILY(File_write, HAS_FILE | HAS_DATA, LOCAL),
    FAMILY(File_write_at, HAS_FILE | HAS_DATA, LOCAL),
    FAMILY(File_write_all, HAS_FILE | HAS_DATA, LOCAL),
    FAMILY(File_write_shared, HAS_FILE | HAS_DATA, LOCAL),
    FAMILY(File_write_ordered, HAS_FILE | HAS_DATA, LOCAL),
    FAMILY(File_iwrite, HAS_FILE | HAS_DATA, LOCAL),
    FAMILY(File_set_view, HAS_FILE | HAS_TYPE, LOCAL),
    FAMILY(File_open, HAS_COMMUNICATOR | HAS_OWN_WAY | HAS_INFO | HAS_OBJECT | HAS_FREED_BY_ALL, COLLECTIVE),
    FAMILY(Wait, HAS_REQUEST, COMPLETES),
    FAMILY(Waitall, HAS_REQUEST, COMPLETES),
    FAMILY(Waitany, HAS_REQUEST, COMPLETES),
    FAMILY(Waitsome, HAS_REQUEST, COMPLETES),
    FAMILY(Test, HAS_REQUEST, COMPLETES),
    FAMILY(Testall, HAS_REQUEST, COMPLETES),
    FAMILY(Testany, HAS_REQUEST, COMPLETES),
    FAMILY(Testsome, HAS_REQUEST, COMPLETES),
    FAMILY(Put, PUTS, ACCESSES),
    FAMILY(Get, PUTS | HAS_LOOK, ACCESSES),
    FAMILY(Rput, PUTS, ACCESSES),
    FAMILY(Rget, PUTS | HAS_LOOK | HAS_END, ACCESSES),
    FAMILY(Put_there, ACCESS_ALL | HAS_COUNT | HAS_TYPE | HAS_MATCHED_TYPE, ACCESSES),
    FAMILY(Accumulate, ACCUMULATES, ACCESSES),
    FAMILY(Raccumulate, ACCUMULATES, ACCESSES),
    FAMILY(Get_accumulate, ACCUMULATES, ACCESSES),
    FAMILY(Rget_accumulate, ACCUMULATES, ACCESSES),
    FAMILY(Get_accumulate_to_result, ACCUMULATES | HAS_TWO_BUFFERS, ACCESSES),
    FAMILY(Fetch_and_op, ACCESS_ALL | HAS_ATOMIC | HAS_TYPE | HAS_BUFFER | HAS_OPERATOR, ACCESSES),
    FAMILY(Compare_and_swap, ACCESS_ALL | HAS_ATOMIC | HAS_TYPE | HAS_BUFFER | HAS_INTEGERS, ACCESSES),
    FAMILY(Win_flush, LOCKED | HAS_TARGET, ACCESSES),
    FAMILY(Win_flush_local, LOCKED | HAS_TARGET, ACCESSES),
    FAMILY(Win_flush_all, LOCKED, ACCESSES),
    FAMILY(Win_flush_local_all, LOCKED, ACCESSES),
    FAMILY(Win_sync, LOCKED, ACCESSES),
    FAMILY(Win_lock, OPENS | HAS_TARGET | HAS_LOCK_TYPE, ACCESSES),
    FAMILY(Win_lock_all, OPENS, ACCESSES),
    FAMILY(Win_post, OPENS, ACCESSES),
    FAMILY(Win_start, OPENS, ACCESSES),
    FAMILY(Win_get_group, HAS_WINDOW | HAS_OBJECT, ACCESSES),
    FAMILY(Win_get_info, HAS_WINDOW | HAS_OBJECT, ACCESSES),
    FAMILY(Win_set_info, HAS_WINDOW, ACCESSES),
    FAMILY(Win_get_name, HAS_WINDOW, ACCESSES),
    FAMILY(Win_set_name, HAS_WINDOW, ACCESSES),
    FAMILY(Win_get_attr, HAS_WINDOW, ACCESSES),
    FAMILY(Win_get_errhandler, HAS_WINDOW, ACCESSES),
    FAMILY(Win_set_errhandler, HAS_WINDOW, ACCESSES),
    FAMILY(Win_create, HAS_COMMUNICATOR | HAS_COUNT | HAS_BUFFER | HAS_INFO | HAS_OBJECT | HAS_FREED_BY_ALL, COLLECTIVE),
    FAMILY(Win_create_dynamic, HAS_COMMUNICATOR | HAS_INFO | HAS_OBJECT | HAS_FREED_BY_ALL, COLLECTIVE),
    FAMILY(Win_allocate, HAS_COMMUNICATOR | HAS_COUNT | HAS_INFO | HAS_OBJECT | HAS_FREED_BY_ALL, COLLECTIVE),
    FAMILY(Win_allocate_shared, HAS_COMMUNICATOR | HAS_COUNT | HAS_INFO | HAS_OBJECT | HAS_FREED_BY_ALL, COLLECTIVE),
    FAMILY(Win_fence, HAS_ASSERTION, COLLECTIVE),
    FAMILY(Request_get_status, HAS_REQUEST, COMPLETES),
    FAMILY(Request_free, HAS_REQUEST | HAS_NO_NULL, COMPLETES),
};
const int family_count = sizeof families / sizeof families[0];
