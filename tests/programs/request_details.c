/* What waits and tests say of requests in their last detail: fields of statuses, errors, places in lists. MPICH itself leaves statuses of
 * receives from nobody as they are in lists, gives up a list at the first error, and takes no note of those of MPI_Isendrecv.
 *
 *   statuses   MPI_ERROR stays what it is, but where a function returns MPI_ERR_IN_STATUS (MPI-3.1 3.7.5); empty statuses (3.7.3)
 *   lists      Waitsome and Testsome fill indices and statuses from the beginning; Waitany tells the first of several complete ones
 *   errors     what was wrong with one start of a persistent request is forgotten at the next; a list tells the first one's handler
 *   pairs      the request of MPI_Isendrecv fails as its receive does, and both halves are freed with it
 *   pending    ... and it is not complete before its send is, which rank 1 waits for
 */
/* explore: ranks=2 verdict=race-free args=statuses */
/* explore: ranks=2 verdict=race-free args=lists mpiexec=no */
/* explore: ranks=2 verdict=race-free args=errors mpiexec=no */
/* explore: ranks=2 verdict=race-free args=pairs mpiexec=no */
/* explore: ranks=2 verdict=race-free buffering=none args=pairs mpiexec=no */
/* explore: ranks=2 verdict=found class=deadlock args=pending */
/* explore: ranks=2 verdict=found class=deadlock buffering=none args=pending */
/* explore: ranks=2 verdict=race-free buffering=infinite args=pending */
#include <mpi.h>
#include <string.h>

enum { ANY_ERROR = 77 };

static int rank;
static const MPI_Comm world = MPI_COMM_WORLD;

static void require(int holds, int line) {
    if (!holds)
        MPI_Abort(world, line & 127);
}
#define REQUIRE(holds) require(holds, __LINE__)

static void send(int count, int to, int tag) {
    int numbers[3] = {tag, tag + 1, tag + 2};
    MPI_Send(numbers, count, MPI_INT, to, tag, world);
}

static int class_of(int error) {
    int found;
    MPI_Error_class(error, &found);
    return found;
}

static int is_empty(const MPI_Status *status) {
    int count, cancelled;
    MPI_Get_count(status, MPI_INT, &count);
    MPI_Test_cancelled(status, &cancelled);
    return status->MPI_SOURCE == MPI_ANY_SOURCE && status->MPI_TAG == MPI_ANY_TAG && count == 0 && !cancelled;
}

static int is_of_nobody(const MPI_Status *status) {
    int count;
    MPI_Get_count(status, MPI_INT, &count);
    return status->MPI_SOURCE == MPI_PROC_NULL && status->MPI_TAG == MPI_ANY_TAG && count == 0;
}

/* ---- statuses ---- */

static void receive_in_all_ways(void) {
    int number, index = 0, count = 0, flag = 0, found[2];
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status[2] = {{.MPI_ERROR = ANY_ERROR}, {.MPI_ERROR = ANY_ERROR}};
    MPI_Recv(&number, 1, MPI_INT, 1, 0, world, status);
    REQUIRE(status->MPI_ERROR == ANY_ERROR);
    MPI_Irecv(&number, 1, MPI_INT, 1, 1, world, request);
    MPI_Wait(request, status);
    REQUIRE(status->MPI_ERROR == ANY_ERROR && status->MPI_TAG == 1);
    MPI_Irecv(&number, 1, MPI_INT, 1, 2, world, request);
    while (!flag)
        MPI_Test(request, &flag, status);
    REQUIRE(status->MPI_ERROR == ANY_ERROR && status->MPI_TAG == 2);
    MPI_Irecv(&number, 1, MPI_INT, 1, 3, world, request);
    MPI_Waitany(2, request, &index, status);
    REQUIRE(index == 0 && status->MPI_ERROR == ANY_ERROR && status->MPI_TAG == 3);
    MPI_Irecv(&number, 1, MPI_INT, 1, 4, world, request);
    MPI_Waitsome(2, request, &count, found, status);
    REQUIRE(count == 1 && status->MPI_ERROR == ANY_ERROR && status->MPI_TAG == 4);
    MPI_Irecv(&number, 1, MPI_INT, 1, 5, world, request);
    MPI_Waitall(2, request, status);
    REQUIRE(status[0].MPI_TAG == 5 && is_empty(&status[1]));
}

static void ask_of_nothing(void) {
    int index = 5, flag = 0, count = 5, found[1];
    MPI_Request none = MPI_REQUEST_NULL;
    MPI_Status status = {.MPI_SOURCE = 3, .MPI_TAG = 4, .MPI_ERROR = ANY_ERROR};
    MPI_Waitany(1, &none, &index, &status);
    REQUIRE(index == MPI_UNDEFINED && is_empty(&status) && status.MPI_ERROR == ANY_ERROR);
    status = (MPI_Status){.MPI_SOURCE = 3, .MPI_TAG = 4, .MPI_ERROR = ANY_ERROR};
    MPI_Testany(1, &none, &index, &flag, &status);
    REQUIRE(flag && index == MPI_UNDEFINED && is_empty(&status) && status.MPI_ERROR == ANY_ERROR);
    MPI_Waitsome(1, &none, &count, found, &status);
    REQUIRE(count == MPI_UNDEFINED);
    status = (MPI_Status){.MPI_SOURCE = 3, .MPI_TAG = 4, .MPI_ERROR = ANY_ERROR};
    MPI_Request_get_status(none, &flag, &status);
    REQUIRE(flag && is_empty(&status) && status.MPI_ERROR == MPI_SUCCESS);
    MPI_Bsend(&index, 1, MPI_INT, MPI_PROC_NULL, 0, world); /* needs no buffer */
}

static void statuses(void) {
    if (rank == 0)
        receive_in_all_ways();
    for (int tag = 0; rank == 1 && tag <= 5; tag++)
        send(1, 0, tag);
    ask_of_nothing();
}

/* ---- lists ---- */

/* What is complete is told, though nothing can come yet for the other one. */
static void beside_one_that_waits(void) {
    int number, other, index, count, found[2];
    MPI_Request request[2];
    MPI_Irecv(&number, 1, MPI_INT, 1, 1, world, &request[0]);
    MPI_Irecv(&other, 1, MPI_INT, MPI_PROC_NULL, 0, world, &request[1]);
    MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE);
    REQUIRE(index == 1);
    MPI_Irecv(&other, 1, MPI_INT, MPI_PROC_NULL, 0, world, &request[1]);
    MPI_Waitsome(2, request, &count, found, MPI_STATUSES_IGNORE);
    REQUIRE(count == 1 && found[0] == 1);
    send(1, 1, 0);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
}

static void lists(void) {
    int number, index, count, found[4];
    MPI_Request request[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status[4];
    for (int round = 0; round < 2; round++) {
        memset(status, 0, sizeof status);
        MPI_Irecv(&number, 1, MPI_INT, MPI_PROC_NULL, 0, world, &request[1]);
        MPI_Irecv(&number, 1, MPI_INT, MPI_PROC_NULL, 0, world, &request[3]);
        if (round == 0)
            MPI_Waitsome(4, request, &count, found, status);
        else
            MPI_Testsome(4, request, &count, found, status);
        REQUIRE(count == 2 && found[0] == 1 && found[1] == 3 && is_of_nobody(&status[0]) && is_of_nobody(&status[1]));
        REQUIRE(status[3].MPI_SOURCE == 0 && request[1] == MPI_REQUEST_NULL && request[3] == MPI_REQUEST_NULL);
    }
    MPI_Irecv(&number, 1, MPI_INT, MPI_PROC_NULL, 0, world, &request[1]);
    MPI_Irecv(&number, 1, MPI_INT, MPI_PROC_NULL, 0, world, &request[2]);
    MPI_Waitany(4, request, &index, status);
    REQUIRE(index == 1);
    MPI_Waitany(4, request, &index, status);
    REQUIRE(index == 2);

    MPI_Recv_init(&number, 1, MPI_INT, MPI_PROC_NULL, 0, world, &request[0]);
    for (int round = 0; round < 2; round++) {
        MPI_Start(&request[0]);
        MPI_Wait(&request[0], status);
        REQUIRE(is_of_nobody(status));
        MPI_Wait(&request[0], status);
        REQUIRE(is_empty(status));
    }
    MPI_Request_free(&request[0]);

    if (rank == 1)
        MPI_Recv(&number, 1, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE);
    else
        beside_one_that_waits();
    if (rank == 1)
        send(1, 0, 1);
}

/* ---- errors ---- */

static int handled[2];

static void count_first(MPI_Comm *communicator, int *error, ...) {
    (void)communicator, (void)error;
    handled[0]++;
}

static void count_second(MPI_Comm *communicator, int *error, ...) {
    (void)communicator, (void)error;
    handled[1]++;
}

/* Two requests fail, of communicators with handlers of their own. */
static void fail_in_lists(void) {
    int number[2], count, found[3];
    MPI_Comm other[2];
    MPI_Errhandler handler[2];
    MPI_Request request[3] = {MPI_REQUEST_NULL};
    MPI_Status status[3];
    MPI_Comm_create_errhandler(count_first, &handler[0]);
    MPI_Comm_create_errhandler(count_second, &handler[1]);
    for (int i = 0; i < 2; i++) {
        MPI_Comm_dup(world, &other[i]);
        MPI_Comm_set_errhandler(other[i], handler[i]);
        int numbers[2] = {1, 2};
        if (rank == 0)
            MPI_Irecv(&number[i], 1, MPI_INT, 1, 0, other[i], &request[i + 1]);
        else
            MPI_Send(numbers, 2, MPI_INT, 0, 0, other[i]);
    }
    if (rank == 0) {
        REQUIRE(class_of(MPI_Waitall(3, request, status)) == MPI_ERR_IN_STATUS);
        REQUIRE(status[0].MPI_ERROR == MPI_SUCCESS && class_of(status[1].MPI_ERROR) == MPI_ERR_TRUNCATE &&
                class_of(status[2].MPI_ERROR) == MPI_ERR_TRUNCATE);
        REQUIRE(handled[0] == 1 && handled[1] == 0);
        MPI_Irecv(&number[0], 1, MPI_INT, 1, 0, other[0], &request[2]);
        REQUIRE(class_of(MPI_Waitsome(3, request, &count, found, status)) == MPI_ERR_IN_STATUS);
        REQUIRE(count == 1 && found[0] == 2 && class_of(status[0].MPI_ERROR) == MPI_ERR_TRUNCATE);
    } else {
        int numbers[2] = {1, 2};
        MPI_Send(numbers, 2, MPI_INT, 0, 0, other[0]);
    }
    for (int i = 0; i < 2; i++) {
        MPI_Comm_free(&other[i]);
        MPI_Errhandler_free(&handler[i]);
    }
}

static void errors(void) {
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    if (rank == 0) {
        int number, cancelled;
        MPI_Request request;
        MPI_Status status;
        MPI_Recv_init(&number, 1, MPI_INT, 1, 0, world, &request);
        MPI_Start(&request);
        REQUIRE(class_of(MPI_Wait(&request, &status)) == MPI_ERR_TRUNCATE);
        MPI_Start(&request);
        MPI_Cancel(&request);
        REQUIRE(MPI_Wait(&request, &status) == MPI_SUCCESS);
        MPI_Test_cancelled(&status, &cancelled);
        REQUIRE(cancelled);
        MPI_Request_free(&request);
    } else {
        send(2, 0, 0);
    }
    fail_in_lists();
}

/* ---- pairs ---- */

static void free_a_pair(void) {
    int sent = rank, received[4];
    MPI_Request request[3];
    MPI_Isendrecv(&sent, 1, MPI_INT, 1 - rank, 0, &received[3], 1, MPI_INT, 1 - rank, 0, world, &request[0]);
    MPI_Request_free(&request[0]);
    for (int i = 0; i < 3; i++) /* whatever places there are in a table of requests */
        MPI_Irecv(&received[i], 1, MPI_INT, 1 - rank, 1 + i, world, &request[i]);
    MPI_Barrier(world);
    for (int i = 2; i >= 0; i--)
        send(1, 1 - rank, 1 + i);
    for (int i = 2; i >= 0; i--) {
        MPI_Status status;
        MPI_Wait(&request[i], &status);
        REQUIRE(received[i] == 1 + i && status.MPI_TAG == 1 + i);
    }
}

static void fail_as_a_pair(void) {
    int sent[2] = {1, 2}, received;
    MPI_Request request;
    MPI_Isendrecv(sent, 1 + rank, MPI_INT, 1 - rank, 0, &received, 1, MPI_INT, 1 - rank, 0, world, &request);
    REQUIRE(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)) == (rank == 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
}

static void pairs(void) {
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    free_a_pair();
    fail_as_a_pair();
}

static void pending(void) {
    int sent = 1, received;
    MPI_Request request;
    if (rank == 0) {
        MPI_Isendrecv(&sent, 1, MPI_INT, 1, 1, &received, 1, MPI_INT, 1, 2, world, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        send(1, 1, 3);
    } else {
        send(1, 0, 2);
        MPI_Recv(&received, 1, MPI_INT, 0, 3, world, MPI_STATUS_IGNORE);
        MPI_Recv(&received, 1, MPI_INT, 0, 1, world, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } kinds[] = {{"statuses", statuses}, {"lists", lists}, {"errors", errors}, {"pairs", pairs}, {"pending", pending}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    for (size_t i = 0; argc > 1 && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(argv[1], kinds[i].name) == 0)
            kinds[i].run();
    MPI_Finalize();
    return 0;
}
