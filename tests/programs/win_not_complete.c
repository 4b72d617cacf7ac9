/* Accesses that are not complete, though it may look so: another one to the same place must wait for it (MPI-3.1 sections 11.3.5, 11.7).
 *
 *   rget_put          rank 0 gets by a request, and puts there before it has waited for that
 *   rget_waited       ... after: right
 *   fetched_put       it fetches by MPI_Rget_accumulate, which a wait completes at the origin only, and puts there
 *   fetched_flushed   ... after a flush: right
 *   fetched_stored    it tells rank 1, whose window it is, when it has waited; rank 1 stores there
 *   fetched_heard     ... when it has flushed: right
 *   put_loaded        it puts under an exclusive lock, tells rank 1, and releases the lock; rank 1 loads there
 *   put_local         ... after MPI_Win_flush_local, which does not complete it there
 *   put_flushed       ... after MPI_Win_flush: right
 *   rget_stored       it gets by a request under an exclusive lock, tells rank 1, and waits; rank 1 stores there
 *   rget_heard        ... waits, and tells rank 1: right
 *   swap_stored       it compares and swaps, which changes nothing as there is something else; rank 1 stores there
 *   swap_told         ... after a message: right */
/* explore: ranks=2 verdict=found class=rma-conflict args=rget_put */
/* explore: ranks=2 verdict=race-free args=rget_waited */
/* explore: ranks=2 verdict=found class=rma-conflict args=fetched_put */
/* explore: ranks=2 verdict=race-free args=fetched_flushed */
/* explore: ranks=2 verdict=found class=rma-conflict args=fetched_stored */
/* explore: ranks=2 verdict=race-free args=fetched_heard */
/* explore: ranks=2 verdict=found class=rma-conflict args=put_loaded */
/* explore: ranks=2 verdict=found class=rma-conflict args=put_local */
/* explore: ranks=2 verdict=race-free args=put_flushed */
/* explore: ranks=2 verdict=found class=rma-conflict args=rget_stored */
/* explore: ranks=2 verdict=race-free args=rget_heard */
/* explore: ranks=2 verdict=found class=rma-conflict args=swap_stored */
/* explore: ranks=2 verdict=race-free args=swap_told */
#include <mpi.h>
#include <string.h>

static const char *wanted;
static int *memory;
static volatile int loaded;
static MPI_Win window;

static int is(const char *name) { return strcmp(wanted, name) == 0; }
static int begins(const char *name) { return strncmp(wanted, name, strlen(name)) == 0; }

static void tell(void) { MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD); }

static int number = 7, result;
static MPI_Request request = MPI_REQUEST_NULL;

static void put(void) { MPI_Put(&number, 1, MPI_INT, 1, 0, 1, MPI_INT, window); }

static void get_and_put(void) {
    static int other;
    MPI_Rget(&other, 1, MPI_INT, 1, 0, 1, MPI_INT, window, &request);
    if (is("rget_waited"))
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    put();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void fetch(void) {
    MPI_Rget_accumulate(&number, 1, MPI_INT, &result, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (is("fetched_flushed") || is("fetched_heard"))
        MPI_Win_flush(1, window);
    if (is("fetched_stored") || is("fetched_heard"))
        tell();
    else
        put();
}

static void put_and_tell(void) {
    put();
    if (is("put_local"))
        MPI_Win_flush_local(1, window);
    if (is("put_flushed"))
        MPI_Win_flush(1, window);
    tell();
}

static void get_and_tell(void) {
    MPI_Rget(&result, 1, MPI_INT, 1, 0, 1, MPI_INT, window, &request);
    if (is("rget_heard"))
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    tell();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void origin(void) {
    const int nothing = -1;
    MPI_Win_lock(begins("put_") || is("rget_stored") || is("rget_heard") ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 1, 0, window);
    if (is("rget_put") || is("rget_waited"))
        get_and_put();
    else if (begins("fetched"))
        fetch();
    else if (begins("put"))
        put_and_tell();
    else if (begins("rget"))
        get_and_tell();
    else
        MPI_Compare_and_swap(&number, &nothing, &result, MPI_INT, 1, 0, window);
    MPI_Win_unlock(1, window);
    if (is("swap_told"))
        tell();
}

static void owner(void) {
    const int stores = is("fetched_stored") || is("fetched_heard") || is("rget_stored") || is("rget_heard") || begins("swap");
    if (!stores && !begins("put"))
        return;
    if (!is("swap_stored"))
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (stores)
        memory[0] = 3;
    else
        loaded = memory[0];
}

int main(int argc, char **argv) {
    int rank;
    wanted = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memory[0] = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    (rank == 0 ? origin : owner)();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
