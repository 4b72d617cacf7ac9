/* A ready send needs a receive that is posted when it is made (MPI-3.1 section 3.4). Rank 0 posts one before a barrier, rank 1 sends
 * after it. What can take the receive away in between?
 *
 *   cancelled      rank 0 cancels it, and receives anew if that came first: wrong if the send comes before that
 *   posted_again   ... and has posted another one at once: wrong if the send comes between the two
 *   cancelled_late ... but only when a later message of rank 1 has told it that the send is made: right
 *   told_before    it is from anyone; rank 1 has told rank 2, without waiting, which sends as well and may be the first: wrong
 *   told_after     rank 1 tells rank 2 when it has made the send: right. Which message comes first makes no difference
 *   itself         rank 0 posts one from anyone and sends to itself, and so does rank 1, which may be the first: wrong
 *   itself_named   ... one from itself: right */
/* explore: ranks=2 verdict=found class=invalid-argument says=ready args=cancelled mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument says=ready args=posted_again mpiexec=no */
/* explore: ranks=2 verdict=race-free args=cancelled_late */
/* explore: ranks=3 verdict=found class=invalid-argument says=ready args=told_before mpiexec=no */
/* explore: ranks=3 verdict=race-free args=told_after */
/* explore: ranks=2 verdict=found class=invalid-argument says=ready args=itself mpiexec=no */
/* explore: ranks=2 verdict=race-free args=itself_named */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { READY = 5, GO = 6, AGAIN = 7 };
static const char *mode;
static int value = 3;
static const MPI_Comm world = MPI_COMM_WORLD;

static int is(const char *name) { return strcmp(mode, name) == 0; }

static void say(int to, int tag) { MPI_Send(&value, 1, MPI_INT, to, tag, world); }

static void hear(int from, int tag) {
    int got;
    MPI_Recv(&got, 1, MPI_INT, from, tag, world, MPI_STATUS_IGNORE);
}

static void cancel(MPI_Request *receive) {
    int again, cancelled;
    MPI_Request other = MPI_REQUEST_NULL;
    MPI_Status status;
    if (is("cancelled_late"))
        hear(1, GO);
    MPI_Cancel(receive);
    if (is("posted_again"))
        MPI_Irecv(&again, 1, MPI_INT, MPI_ANY_SOURCE, READY, world, &other);
    MPI_Wait(receive, &status);
    MPI_Test_cancelled(&status, &cancelled);
    if (is("posted_again") && !cancelled)
        say(0, READY);
    else if (!is("posted_again") && cancelled)
        hear(1, READY);
    MPI_Wait(&other, MPI_STATUS_IGNORE);
}

static void receive(void) {
    int got = 0;
    MPI_Request request;
    MPI_Irecv(&got, 1, MPI_INT, is("told_before") || is("told_after") ? MPI_ANY_SOURCE : 1, READY, world, &request);
    MPI_Barrier(world);
    if (is("told_before") || is("told_after")) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        hear(MPI_ANY_SOURCE, READY);
    } else {
        cancel(&request);
    }
}

static void send(void) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Barrier(world);
    if (is("told_before"))
        MPI_Isend(&value, 1, MPI_INT, 2, GO, world, &request);
    MPI_Rsend(&value, 1, MPI_INT, 0, READY, world);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (is("told_after"))
        say(2, GO);
    if (is("cancelled_late"))
        say(0, GO);
}

static void rival(void) {
    MPI_Barrier(world);
    hear(1, GO);
    say(0, READY);
}

static void send_to_itself(int rank) {
    int got = 0;
    MPI_Request request;
    if (rank == 0) {
        MPI_Irecv(&got, 1, MPI_INT, is("itself") ? MPI_ANY_SOURCE : 0, READY, world, &request);
        MPI_Rsend(&value, 1, MPI_INT, 0, READY, world);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        hear(MPI_ANY_SOURCE, READY);
    } else {
        say(0, READY);
    }
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    mode = argc > 1 ? argv[1] : "cancelled";
    MPI_Comm_rank(world, &rank);
    if (strncmp(mode, "itself", 6) == 0)
        send_to_itself(rank);
    else if (rank == 0)
        receive();
    else if (rank == 1)
        send();
    else
        rival();
    MPI_Finalize();
    return 0;
}
