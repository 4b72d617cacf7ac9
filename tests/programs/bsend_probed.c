/* A message that a matched probe has found is still in its sender's attached buffer until it is received, by MPI_Mrecv or MPI_Imrecv
 * (MPI-3.1 sections 3.6 and 3.8.2). The buffer has room for one.
 *
 *   probed        rank 0 sends another one when it hears that rank 1 has found the first
 *   at_once       ... which rank 1 says by a nonblocking send, and then receives it
 *   received      ... when it hears that rank 1 has received it: right
 *   later         the same by MPI_Imrecv
 *   detached      rank 0 detaches the buffer before it says that rank 1 may receive what it has found: that may wait for the receiving
 *   detached_now  ... or rank 1 receives without being told: right
 *   itself        rank 0 sends to itself, and the next one when it has received that: right */
/* explore: ranks=2 verdict=found class=invalid-argument says=attached args=probed mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument says=attached args=at_once mpiexec=no */
/* explore: ranks=2 verdict=race-free args=received */
/* explore: ranks=2 verdict=race-free args=later */
/* explore: ranks=2 verdict=found class=deadlock says=MPI_Bsend) args=detached mpiexec=no */
/* explore: ranks=2 verdict=found class=deadlock says=MPI_Bsend) buffering=none args=detached mpiexec=no */
/* explore: ranks=2 verdict=race-free buffering=infinite args=detached */
/* explore: ranks=2 verdict=race-free args=detached_now */
/* explore: ranks=1 verdict=race-free args=itself */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { DATA = 1, NEWS = 2 };
static const char *mode;
static int value;
static const MPI_Comm world = MPI_COMM_WORLD;

static int is(const char *name) { return strcmp(mode, name) == 0; }
static void say(int to) { MPI_Ssend(&value, 1, MPI_INT, to, NEWS, world); }
static void hear(int from) { MPI_Recv(&value, 1, MPI_INT, from, NEWS, world, MPI_STATUS_IGNORE); }

static void sender(void) {
    int size = (int)sizeof(int) + MPI_BSEND_OVERHEAD;
    void *buffer = malloc((size_t)size);
    MPI_Buffer_attach(buffer, size);
    MPI_Bsend(&value, 1, MPI_INT, 1, DATA, world);
    if (strncmp(mode, "detached", 8) != 0) {
        hear(1);
        MPI_Bsend(&value, 1, MPI_INT, 1, DATA, world);
    }
    MPI_Buffer_detach(&buffer, &size);
    if (is("detached"))
        say(1);
    free(buffer);
}

static void itself(void) {
    int size = (int)sizeof(int) + MPI_BSEND_OVERHEAD;
    void *buffer = malloc((size_t)size);
    MPI_Message found;
    MPI_Buffer_attach(buffer, size);
    for (int i = 0; i < 2; i++) {
        MPI_Bsend(&value, 1, MPI_INT, 0, DATA, world);
        MPI_Mprobe(0, DATA, world, &found, MPI_STATUS_IGNORE);
        MPI_Mrecv(&value, 1, MPI_INT, &found, MPI_STATUS_IGNORE);
    }
    MPI_Buffer_detach(&buffer, &size);
    free(buffer);
}

static void receiver(void) {
    MPI_Message found;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Mprobe(0, DATA, world, &found, MPI_STATUS_IGNORE);
    if (is("probed"))
        say(0);
    if (is("at_once"))
        MPI_Isend(&value, 1, MPI_INT, 0, NEWS, world, &request);
    if (is("detached"))
        hear(0);
    if (is("later"))
        MPI_Imrecv(&value, 1, MPI_INT, &found, &request);
    else
        MPI_Mrecv(&value, 1, MPI_INT, &found, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (is("received") || is("later"))
        say(0);
    if (strncmp(mode, "detached", 8) != 0)
        MPI_Recv(&value, 1, MPI_INT, 0, DATA, world, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    mode = argc > 1 ? argv[1] : "probed";
    MPI_Comm_rank(world, &rank);
    if (is("itself"))
        itself();
    else if (rank == 0)
        sender();
    else
        receiver();
    MPI_Finalize();
    return 0;
}
