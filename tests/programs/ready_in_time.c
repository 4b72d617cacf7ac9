/* Is the receive posted before the ready send is made, whatever else MPI does in between (MPI-3.1 section 3.4)? Rank 1 receives, rank 0
 * sends, others only take part in collectives.
 *
 * A collective or a message comes after the receive is posted, and before the send:
 *
 *   barrier, alltoall, bcast_of_receiver, reduce_to_sender   nobody leaves before the receiver has entered
 *   bcast, reduce, scan, ibcast                              the sender may leave before
 *   ssend                                                    is received after the receive is posted
 *   send                                                     may be buffered
 *
 * The receiver tells the sender to go ahead:
 *
 *   told_after, told_second     ... after it has posted the receive; by the second of two messages
 *   told_before, told_first     ... before it posts the receive, though it does not wait in between
 *   ibarrier_before             ... by entering a nonblocking barrier before it posts the receive
 *   told_polled                 ... the same, after it has asked for a message that there is not
 *   sendrecv                    ... by MPI_Sendrecv, whose halves may be done in either order (section 3.10)
 *
 * And, with a wildcard between: picks, picks_before, the sender is told by rank 2 or 3, whoever comes first, and both know, or only one
 * of them, that the receive is posted. */
/* explore: ranks=2 verdict=race-free args=barrier */
/* explore: ranks=3 verdict=race-free args=alltoall */
/* explore: ranks=2 verdict=race-free args=bcast_of_receiver */
/* explore: ranks=3 verdict=race-free args=reduce_to_sender */
/* explore: ranks=3 verdict=found class=invalid-argument says=ready args=bcast mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument says=ready args=reduce mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument says=ready args=scan mpiexec=no */
/* explore: ranks=3 verdict=found class=invalid-argument says=ready args=ibcast mpiexec=no */
/* explore: ranks=2 verdict=race-free args=ssend */
/* explore: ranks=2 verdict=found class=invalid-argument says=ready args=send mpiexec=no */
/* explore: ranks=2 verdict=race-free buffering=none args=send */
/* explore: ranks=2 verdict=race-free args=told_after */
/* explore: ranks=2 verdict=race-free args=told_second */
/* explore: ranks=2 verdict=found class=invalid-argument says=ready args=told_before mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument says=ready args=told_first mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument says=ready args=told_polled mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument says=ready args=ibarrier_before mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument says=ready args=sendrecv mpiexec=no */
/* explore: ranks=4 verdict=race-free args=picks */
/* explore: ranks=4 verdict=found class=invalid-argument says=ready args=picks_before mpiexec=no */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { READY = 5, GO = 6, AGAIN = 7 };
static const char *mode;
static int rank, value = 3, other;
static const MPI_Comm world = MPI_COMM_WORLD;

static int is(const char *name) { return strcmp(mode, name) == 0; }
static int begins(const char *name) { return strncmp(mode, name, strlen(name)) == 0; }
static void say(int to, int tag) { MPI_Send(&value, 1, MPI_INT, to, tag, world); }
static void hear(int from, int tag) { MPI_Recv(&other, 1, MPI_INT, from, tag, world, MPI_STATUS_IGNORE); }

static void collective(void) {
    int all[8], one[8] = {0};
    MPI_Request request;
    if (is("barrier"))
        MPI_Barrier(world);
    if (is("alltoall"))
        MPI_Alltoall(one, 1, MPI_INT, all, 1, MPI_INT, world);
    if (is("bcast") || is("bcast_of_receiver"))
        MPI_Bcast(&other, 1, MPI_INT, is("bcast") ? 0 : 1, world);
    if (is("reduce") || is("reduce_to_sender"))
        MPI_Reduce(&value, &other, 1, MPI_INT, MPI_SUM, is("reduce") ? 1 : 0, world);
    if (is("scan"))
        MPI_Scan(&value, &other, 1, MPI_INT, MPI_SUM, world);
    if (is("ibcast")) {
        MPI_Ibcast(&other, 1, MPI_INT, 0, world, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* Posts the receive and says so without waiting in between. */
static void receive_and_tell(void) {
    int got = 0, requests = 2, found;
    MPI_Request request[3];
    if (is("told_polled"))
        MPI_Iprobe(0, AGAIN, world, &found, MPI_STATUS_IGNORE);
    if (is("ibarrier_before"))
        MPI_Ibarrier(world, &request[0]);
    else if (!is("told_after"))
        MPI_Isend(&value, 1, MPI_INT, 0, GO, world, &request[0]);
    MPI_Irecv(&got, 1, MPI_INT, 0, READY, world, &request[1]);
    if (is("told_after"))
        MPI_Isend(&value, 1, MPI_INT, 0, GO, world, &request[0]);
    if (is("told_first") || is("told_second"))
        MPI_Isend(&value, 1, MPI_INT, 0, AGAIN, world, &request[requests++]);
    MPI_Waitall(requests, request, MPI_STATUSES_IGNORE);
}

static void receive(void) {
    int got = 0;
    MPI_Request request;
    if (begins("told") || is("ibarrier_before")) {
        receive_and_tell();
        return;
    }
    if (is("sendrecv")) {
        MPI_Sendrecv(&value, 1, MPI_INT, 0, GO, &got, 1, MPI_INT, 0, READY, world, MPI_STATUS_IGNORE);
        return;
    }
    if (is("picks_before"))
        say(2, GO);
    MPI_Irecv(&got, 1, MPI_INT, 0, READY, world, &request);
    if (is("picks"))
        say(2, GO);
    if (begins("picks"))
        say(3, GO);
    collective();
    if (is("send") || is("ssend"))
        hear(0, GO);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void send(void) {
    collective();
    if (is("send"))
        say(1, GO);
    if (is("ssend"))
        MPI_Ssend(&value, 1, MPI_INT, 1, GO, world);
    if (is("told_after") || is("told_before") || is("told_polled") || is("told_first") || is("sendrecv"))
        hear(1, GO);
    if (is("told_second"))
        hear(1, AGAIN);
    if (is("ibarrier_before")) {
        MPI_Request request;
        MPI_Ibarrier(world, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (begins("picks"))
        hear(MPI_ANY_SOURCE, GO);
    MPI_Rsend(&value, 1, MPI_INT, 1, READY, world);
    if (is("told_first"))
        hear(1, AGAIN);
    if (is("told_second"))
        hear(1, GO);
    if (begins("picks"))
        hear(MPI_ANY_SOURCE, GO);
}

static void help(void) {
    collective();
    if (begins("picks")) {
        hear(1, GO);
        say(0, GO);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    mode = argc > 1 ? argv[1] : "barrier";
    MPI_Comm_rank(world, &rank);
    if (rank == 0)
        send();
    else if (rank == 1)
        receive();
    else
        help();
    MPI_Finalize();
    return 0;
}
