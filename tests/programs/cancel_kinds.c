/* What may be cancelled: nonblocking sends and receives, persistent ones too (MPI-3.1 section 3.8.4), again and when they are complete.
 * Not those of collectives (5.12) and of accesses to windows (11.3.5), whose requests must not be freed either. What it means for a
 * send and a receive with one request, and for files, is said nowhere, and is refused. */
/* explore: ranks=2 verdict=race-free args=receive */
/* explore: ranks=2 verdict=race-free args=persistent */
/* explore: ranks=2 verdict=race-free args=twice */
/* explore: ranks=2 verdict=race-free args=complete */
/* explore: ranks=2 verdict=race-free args=nobody */
/* explore: ranks=2 verdict=race-free args=matched */
/* explore: ranks=2 verdict=race-free args=claimed mpiexec=no */
/* explore: ranks=2 verdict=race-free args=perhaps_claimed mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument args=inactive */
/* explore: ranks=2 verdict=found class=invalid-argument says=MPI_Ibarrier args=collective */
/* explore: ranks=2 verdict=found class=invalid-argument says=MPI_Rput args=put */
/* explore: ranks=2 verdict=found class=invalid-argument says=MPI_Rget args=get */
/* explore: ranks=2 verdict=found class=invalid-argument says=MPI_Raccumulate args=accumulate */
/* explore: ranks=2 verdict=found class=invalid-argument says=MPI_Rget args=get_free */
/* explore: ranks=2 verdict=race-free args=get_wait */
/* explore: ranks=2 verdict=cannot-run says=MPI_Isendrecv args=exchange */
/* explore: ranks=2 verdict=cannot-run says=MPI_File_iwrite_at args=file */
/* explore: ranks=2 verdict=race-free args=file_wait mpiexec=no */
#include <assert.h>
#include <mpi.h>
#include <string.h>

static int rank, other, value = 1, into;
static const char *what;

static int is(const char *name) { return strncmp(what, name, strlen(name)) == 0; }

/* Whether it was: cancelled operations leave nothing behind. */
static int cancel(MPI_Request *request) {
    MPI_Status status;
    int cancelled;
    MPI_Cancel(request);
    if (is("twice"))
        MPI_Cancel(request);
    MPI_Wait(request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    return cancelled;
}

static void end(MPI_Request *request) {
    if (strstr(what, "free"))
        MPI_Request_free(request);
    else if (strstr(what, "wait"))
        MPI_Wait(request, MPI_STATUS_IGNORE);
    else
        cancel(request);
}

static void access_window(void) {
    int memory = 0;
    MPI_Win window;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock_all(0, window);
    if (rank == 0 && is("put"))
        MPI_Rput(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window, &request);
    if (rank == 0 && is("get"))
        MPI_Rget(&into, 1, MPI_INT, 1, 0, 1, MPI_INT, window, &request);
    if (rank == 0 && is("accumulate"))
        MPI_Raccumulate(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, window, &request);
    if (rank == 0)
        end(&request);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

static void access_file(void) {
    MPI_File file;
    MPI_Request request;
    MPI_File_open(MPI_COMM_SELF, rank == 0 ? "cancelled.0" : "cancelled.1", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                  &file);
    MPI_File_iwrite_at(file, 0, &value, 1, MPI_INT, &request);
    end(&request);
    MPI_File_close(&file);
}

/* A message that a matched probe has found is as good as received (MPI-3.1 3.8.4): to cancel it comes too late, and the sender need
 * not wait for MPI_Mrecv, which comes when it has said that it is over. */
static void cancel_claimed(void) {
    MPI_Request request;
    MPI_Message message;
    if (rank == 0) {
        MPI_Issend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(!cancel(&request));
        MPI_Send(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
    } else {
        MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Mrecv(&into, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    }
}

/* The probe may come before the cancellation or after it, and then finds what is sent instead. */
static void cancel_perhaps_claimed(void) {
    MPI_Request request;
    MPI_Message message;
    if (rank == 0) {
        MPI_Issend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        int again = cancel(&request);
        if (again)
            MPI_Issend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Send(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Mrecv(&into, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    }
}

static void communicate(void) {
    MPI_Request request = MPI_REQUEST_NULL, sent;
    MPI_Message message;
    if (is("receive") || is("twice"))
        MPI_Irecv(&into, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request);
    if (is("receive") || is("twice"))
        assert(cancel(&request));
    if (is("persistent") || is("inactive"))
        MPI_Recv_init(&into, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request);
    if (is("inactive"))
        MPI_Cancel(&request);
    for (int i = 0; i < 2 && is("persistent"); i++) {
        MPI_Start(&request);
        assert(cancel(&request));
    }
    if (is("persistent"))
        MPI_Request_free(&request);
    if (is("nobody"))
        MPI_Irecv(&into, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    if (is("nobody"))
        assert(!cancel(&request));
    if (is("matched") || is("complete"))
        MPI_Isend(&value, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &sent);
    if (is("matched")) { /* the receive has its message already */
        MPI_Mprobe(other, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Imrecv(&into, 1, MPI_INT, &message, &request);
        assert(!cancel(&request) && into == 1);
    }
    if (is("complete")) {
        MPI_Recv(&into, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        assert(!cancel(&sent)); /* it is received */
    } else if (is("matched")) {
        MPI_Wait(&sent, MPI_STATUS_IGNORE);
    }
    if (is("collective"))
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
    if (is("exchange"))
        MPI_Isendrecv(&value, 1, MPI_INT, other, 0, &into, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request);
    if (is("collective") || is("exchange"))
        cancel(&request);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : "receive";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    if (is("put") || is("get") || is("accumulate"))
        access_window();
    else if (is("file"))
        access_file();
    else if (is("perhaps_claimed"))
        cancel_perhaps_claimed();
    else if (is("claimed"))
        cancel_claimed();
    else
        communicate();
    MPI_Finalize();
    return 0;
}
