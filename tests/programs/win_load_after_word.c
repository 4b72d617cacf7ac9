/* Rank 1 loads from its own window, under no lock, and rank 0 puts there. What rank 1 loads after all that it says to others, none of
 * them can know to be over; and if it has not heard from them that the put is complete, nothing orders the two (MPI-3.1 section 11.7).
 * What it has loaded makes no difference to anybody.
 *
 *   first word: rank 0's lock: shared, exclusive
 *   second:     after    rank 1 sends a message, after which rank 0 puts, and loads
 *               before   it loads, and sends the message: right
 *               beside   it loads, sends, and loads elsewhere: right
 *               heard    it sends, hears from rank 2, which knows nothing of rank 0, and loads
 *               told     it sends, hears from rank 0 that the put is complete, and loads: right
 *               passed   ... from rank 2, which has heard that from rank 0: right
 *               both     rank 2 sends a message to each, and one puts, the other loads
 *               barrier  it sends, and loads after a barrier that follows the put: right
 *               twice    it loads, sends, and loads again after a barrier, as in `barrier`, while rank 0 puts once more
 *               flag     rank 0 accumulates instead of putting, as programs do that set flags: allowed
 *               taken    it loads, and receives what rank 0 sends it synchronously, and puts only then: right
 *               sent     ... what rank 0 sends by MPI_Send, which may be over long before
 *               begun    it begins to receive that and loads, and the synchronous send may be over before */
/* explore: ranks=3 verdict=found class=rma-conflict args=shared+after */
/* explore: ranks=3 verdict=found class=rma-conflict args=exclusive+after */
/* explore: ranks=3 verdict=race-free args=shared+before */
/* explore: ranks=3 verdict=race-free args=exclusive+before */
/* explore: ranks=3 verdict=race-free args=shared+beside */
/* explore: ranks=3 verdict=race-free args=exclusive+beside */
/* explore: ranks=3 verdict=found class=rma-conflict args=shared+heard */
/* explore: ranks=3 verdict=found class=rma-conflict args=exclusive+heard */
/* explore: ranks=3 verdict=race-free args=shared+told */
/* explore: ranks=3 verdict=race-free args=exclusive+told */
/* explore: ranks=3 verdict=race-free args=shared+passed */
/* explore: ranks=3 verdict=race-free args=exclusive+passed */
/* explore: ranks=3 verdict=found class=rma-conflict args=shared+both */
/* explore: ranks=3 verdict=found class=rma-conflict args=exclusive+both */
/* explore: ranks=3 verdict=race-free args=shared+barrier */
/* explore: ranks=3 verdict=race-free args=exclusive+barrier */
/* explore: ranks=3 verdict=found class=rma-conflict args=shared+twice */
/* explore: ranks=3 verdict=found class=rma-conflict args=exclusive+twice */
/* explore: ranks=3 verdict=race-free args=shared+flag */
/* explore: ranks=3 verdict=race-free args=shared+taken */
/* explore: ranks=3 verdict=race-free args=exclusive+taken */
/* explore: ranks=3 verdict=found class=rma-conflict args=shared+sent */
/* explore: ranks=3 verdict=found class=rma-conflict args=exclusive+sent */
/* explore: ranks=3 verdict=found class=rma-conflict args=shared+begun */
/* explore: ranks=3 verdict=found class=rma-conflict args=exclusive+begun */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static char lock[16], when[16];
static int *memory;
static volatile int loaded;
static MPI_Win window;

static int is(const char *name) { return strcmp(when, name) == 0; }

static void tell(int rank) { MPI_Send(NULL, 0, MPI_INT, rank, 0, MPI_COMM_WORLD); }

static void hear(int rank) { MPI_Recv(NULL, 0, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

static void put(void) {
    const int number = 7;
    MPI_Win_lock(strcmp(lock, "shared") == 0 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 1, 0, window);
    if (is("flag"))
        MPI_Accumulate(&number, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, window);
    else
        MPI_Put(&number, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    MPI_Win_unlock(1, window);
}

static int is_answered(void) { return is("taken") || is("sent") || is("begun"); }

static void origin(void) {
    if (is("sent"))
        tell(1);
    else if (is_answered())
        MPI_Ssend(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        hear(is("both") ? 2 : 1);
    put();
    if (is("told") || is("passed"))
        tell(is("told") ? 1 : 2);
    if (is("barrier") || is("twice"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (is("twice"))
        put();
}

static void owner_receives(void) {
    MPI_Request request;
    if (!is("begun"))
        loaded = memory[0];
    MPI_Irecv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    if (is("begun"))
        loaded = memory[0];
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void owner(void) {
    if (is("before") || is("beside") || is("twice"))
        loaded = memory[0];
    if (!is("both"))
        tell(0);
    if (is("heard") || is("passed") || is("both"))
        hear(2);
    if (is("told"))
        hear(0);
    if (is("barrier") || is("twice"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (!is("before"))
        loaded = memory[is("beside") ? 1 : 0];
}

static void third(void) {
    if (is("passed"))
        hear(0);
    if (is("heard") || is("passed") || is("both"))
        tell(1);
    if (is("both"))
        tell(0);
    if (is("barrier") || is("twice"))
        MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    int rank;
    if (argc > 1)
        sscanf(argv[1], "%15[a-z]+%15[a-z]", lock, when);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memory[0] = memory[1] = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    (rank == 0 ? origin : rank == 2 ? third : is_answered() ? owner_receives : owner)();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
