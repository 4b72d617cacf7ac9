/* Sends and receives in their forms for large counts: blocking, nonblocking and persistent, in all modes, matched and combined, and the
 * buffer for buffered sends. Rank 0 sends number after number to rank 1, which receives them in order by either form. "truncation" is
 * an error by this form too; "negative" is a count that none may have, and "huge" one that is no int. */
/* explore: ranks=2 verdict=race-free args=all */
/* explore: ranks=2 verdict=race-free args=all buffering=none */
/* explore: ranks=2 verdict=found class=truncation args=truncation */
/* explore: ranks=2 verdict=found class=invalid-argument args=negative */
/* explore: ranks=2 verdict=race-free args=huge */
#include <assert.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int rank;
static int next = 100; /* the number that is sent next, and received */

static void send_back(void) { MPI_Send_c(&next, 1, MPI_INT, 0, 1, MPI_COMM_WORLD); }
static void await_answer(void) {
    int answer;
    MPI_Recv_c(&answer, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    assert(answer == next);
}

static void complete(MPI_Request *request) { MPI_Wait(request, MPI_STATUS_IGNORE); }

static void start(MPI_Request *request) {
    MPI_Start(request);
    complete(request);
    MPI_Request_free(request);
}

static void senders(void) {
    MPI_Request request;
    char *buffer = malloc(1000), *detached;
    MPI_Count size;
    MPI_Buffer_attach_c(buffer, 1000);
#define BLOCKING(name) MPI_##name(&next, 1, MPI_INT, 1, 0, MPI_COMM_WORLD)
#define NONBLOCKING(name) MPI_##name(&next, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request)
    BLOCKING(Send_c), await_answer(), next++;
    BLOCKING(Ssend_c), await_answer(), next++;
    BLOCKING(Bsend_c), await_answer(), next++;
    NONBLOCKING(Isend_c), complete(&request), await_answer(), next++;
    NONBLOCKING(Issend_c), complete(&request), await_answer(), next++;
    NONBLOCKING(Ibsend_c), complete(&request), await_answer(), next++;
    NONBLOCKING(Send_init_c), start(&request), await_answer(), next++;
    NONBLOCKING(Ssend_init_c), start(&request), await_answer(), next++;
    NONBLOCKING(Bsend_init_c), start(&request), await_answer(), next++;
    MPI_Buffer_detach_c(&detached, &size);
    assert(detached == buffer && size == 1000);
    free(buffer);
}

static void require_next(int number) {
    assert(number == next);
    send_back();
    next++;
}

static void receivers(void) {
    for (int i = 0; i < 9; i++) {
        int number = -1;
        MPI_Request request;
        MPI_Message message;
        if (i == 0)
            MPI_Recv_c(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (i == 1)
            MPI_Irecv_c(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request), complete(&request);
        if (i == 2)
            MPI_Recv_init_c(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request), start(&request);
        if (i == 3 || i == 4)
            MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        if (i == 3)
            MPI_Mrecv_c(&number, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        if (i == 4)
            MPI_Imrecv_c(&number, 1, MPI_INT, &message, &request), complete(&request);
        if (i > 4)
            MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        require_next(number);
    }
}

/* A ready send needs a receive that is posted. */
static void ready(void) {
    MPI_Request request[3];
    int number[3] = {0};
    if (rank == 1) {
        for (int i = 0; i < 3; i++)
            MPI_Irecv_c(&number[i], 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &request[i]);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
        assert(number[0] == 1 && number[1] == 2 && number[2] == 3);
        return;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rsend_c(&(int){1}, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    MPI_Irsend_c(&(int){2}, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request[0]);
    complete(&request[0]);
    MPI_Rsend_init_c(&(int){3}, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request[0]);
    start(&request[0]);
}

static void exchanges(void) {
    int given = rank, taken = -1, other = 1 - rank;
    MPI_Request request;
    MPI_Sendrecv_c(&given, 1, MPI_INT, other, 3, &taken, 1, MPI_INT, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    assert(taken == other);
    MPI_Sendrecv_replace_c(&given, 1, MPI_INT, other, 3, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    assert(given == other);
    MPI_Isendrecv_c(&given, 1, MPI_INT, other, 3, &taken, 1, MPI_INT, other, 3, MPI_COMM_WORLD, &request);
    complete(&request);
    assert(taken == rank);
    MPI_Isendrecv_replace_c(&given, 1, MPI_INT, other, 3, other, 3, MPI_COMM_WORLD, &request);
    complete(&request);
    assert(given == rank);
}

/* Elements that have no bytes, more of them than an int can count. */
static void huge(void) {
    MPI_Datatype nothing;
    MPI_Count count = (MPI_Count)1 << 40;
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    if (rank == 0)
        MPI_Send_c(&count, count, nothing, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv_c(&count, count, nothing, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast_c(&count, count, nothing, 0, MPI_COMM_WORLD);
    MPI_Type_free(&nothing);
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "all";
    int numbers[2] = {1, 2};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(mode, "all") == 0) {
        if (rank == 0)
            senders();
        else
            receivers();
        ready();
        exchanges();
    } else if (strcmp(mode, "huge") == 0) {
        huge();
    } else if (rank == 0) {
        MPI_Send_c(numbers, strcmp(mode, "negative") == 0 ? -1 : 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv_c(numbers, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
