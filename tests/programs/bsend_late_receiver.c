/* The attached buffer has room for one message. Rank 0 sends two to rank 1, and between them hears from others: what it hears must come
 * after the first was received, whoever it is from (MPI-3.1 section 3.6).
 *
 *   picks           it hears from one of ranks 2 and 3, who know nothing of that
 *   picks_informed  it hears from one of ranks 2 and 3, both of whom rank 1 told
 *   picks_half      rank 1 told rank 2 only
 *   early           it hears from rank 1, by a message that was sent before
 *   pings           rank 1 sends two messages, one before and one after it receives; rank 0 hears both
 *   ping            ... and rank 0 hears the first one only, before it sends again
 *   posted          rank 1 says that it has posted the receive, and waits then: it may not be there yet
 *   elsewhere       the second message goes to rank 2, and between them rank 0 hears of rank 2, which knows nothing of rank 1
 *   elsewhere_told  ... which rank 1 told that it has received
 */
/* explore: ranks=4 verdict=found class=invalid-argument says=attached args=picks mpiexec=no */
/* explore: ranks=4 verdict=race-free args=picks_informed */
/* explore: ranks=4 verdict=found class=invalid-argument says=attached args=picks_half mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument says=attached args=early mpiexec=no */
/* explore: ranks=2 verdict=race-free args=pings */
/* explore: ranks=2 verdict=found class=invalid-argument says=attached args=ping mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument says=attached args=posted mpiexec=no */
/* explore: ranks=3 verdict=found class=invalid-argument says=attached args=elsewhere mpiexec=no */
/* explore: ranks=3 verdict=race-free args=elsewhere_told */
/* explore: ranks=4 verdict=found class=invalid-argument says=attached args=picks few-states=1 mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument says=attached args=early few-states=1 mpiexec=no */
/* explore: ranks=3 verdict=found class=invalid-argument says=attached args=elsewhere few-states=1 mpiexec=no */
/* explore: ranks=3 verdict=race-free args=elsewhere_told few-states=1 */
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
static void send(int to) { MPI_Bsend(&value, 1, MPI_INT, to, DATA, world); }
static void receive(void) { MPI_Recv(&value, 1, MPI_INT, 0, DATA, world, MPI_STATUS_IGNORE); }

static void sender(void) {
    int size = (int)sizeof(int) + MPI_BSEND_OVERHEAD;
    void *buffer = malloc((size_t)size);
    MPI_Buffer_attach(buffer, size);
    send(1);
    const int picks = strncmp(mode, "picks", 5) == 0, elsewhere = strncmp(mode, "elsewhere", 9) == 0;
    hear(picks ? MPI_ANY_SOURCE : elsewhere ? 2 : 1);
    if (is("pings"))
        hear(1);
    send(elsewhere ? 2 : 1);
    if (is("ping"))
        hear(1);
    if (picks)
        hear(MPI_ANY_SOURCE);
    MPI_Buffer_detach(&buffer, &size);
    free(buffer);
}

static void receiver(void) {
    if (is("early") || is("ping") || is("pings"))
        say(0);
    if (is("posted")) {
        int got;
        MPI_Request request;
        MPI_Irecv(&got, 1, MPI_INT, 0, DATA, world, &request);
        say(0);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        receive();
    }
    if (is("ping") || is("pings"))
        say(0);
    if (is("picks_informed") || is("picks_half") || is("elsewhere_told"))
        say(2);
    if (is("picks_informed"))
        say(3);
    if (strncmp(mode, "elsewhere", 9) != 0)
        receive();
}

static void helper(int rank) {
    if (is("picks_informed") || is("elsewhere_told") || (is("picks_half") && rank == 2))
        hear(1);
    say(0);
    if (strncmp(mode, "elsewhere", 9) == 0)
        receive();
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    mode = argc > 1 ? argv[1] : "pings";
    MPI_Comm_rank(world, &rank);
    if (rank == 0)
        sender();
    else if (rank == 1)
        receiver();
    else
        helper(rank);
    MPI_Finalize();
    return 0;
}
