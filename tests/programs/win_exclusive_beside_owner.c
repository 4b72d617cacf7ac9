/* Rank 0 accesses the window of rank 1 under an exclusive lock, while rank 1 loads or stores there and holds no lock: that keeps
 * nobody out, so the two are at the same time unless something else orders them.
 *
 *     load           rank 1 loads what rank 0 puts; what it has loaded makes no difference to anybody
 *     load_same      ... and what rank 0 puts is what was there
 *     load_beside    ... from another place: right
 *     load_flushed   ... and rank 0 completes its put by a flush
 *     load_before    ... before a barrier, after which rank 0 puts: right
 *     load_after     ... after a barrier, before which rank 0 puts: right
 *     load_told      ... after a message that rank 0 sends when its put is complete: right
 *     load_later     ... after a second barrier, while rank 0 puts after the first: right
 *     load_own       ... under a lock of its own: right
 *     between_load   ... between messages from and to rank 2
 *     between_own    ... under a lock of its own: right
 *     between_relay  ... the first of which rank 2 sends when it has heard from rank 0 that its put is complete: right
 *     between_beside ... from another place: right
 *     store          rank 1 stores what rank 0 gets
 *     store_beside   ... elsewhere: right
 *     store_before   ... before a barrier: right
 *     store_after    ... after a barrier: right
 *     store_told     ... and then sends a message, after which rank 0 gets: right
 *     store_heard    ... after a message that rank 0 sends when it has got it: right
 *     store_own      ... under a lock of its own: right, as it stores what was there
 *     receive        rank 1 receives, from itself, into what rank 0 gets
 *     receive_next   ... from rank 0, which sends that when it has got what was there: right
 *     send           rank 1 sends itself what rank 0 puts */
/* explore: ranks=2 verdict=found class=rma-conflict args=load */
/* explore: ranks=2 verdict=found class=rma-conflict args=load_same */
/* explore: ranks=2 verdict=race-free args=load_beside */
/* explore: ranks=2 verdict=found class=rma-conflict args=load_flushed */
/* explore: ranks=2 verdict=race-free args=load_before */
/* explore: ranks=2 verdict=race-free args=load_after */
/* explore: ranks=2 verdict=race-free args=load_told */
/* explore: ranks=2 verdict=race-free args=load_later */
/* explore: ranks=2 verdict=race-free args=load_own */
/* explore: ranks=3 verdict=found class=rma-conflict args=between_load */
/* explore: ranks=3 verdict=race-free args=between_own */
/* explore: ranks=3 verdict=race-free args=between_relay */
/* explore: ranks=3 verdict=race-free args=between_beside */
/* explore: ranks=2 verdict=found class=rma-conflict args=store */
/* explore: ranks=2 verdict=race-free args=store_beside */
/* explore: ranks=2 verdict=race-free args=store_before */
/* explore: ranks=2 verdict=race-free args=store_after */
/* explore: ranks=2 verdict=race-free args=store_told */
/* explore: ranks=2 verdict=race-free args=store_heard */
/* explore: ranks=2 verdict=race-free args=store_own */
/* explore: ranks=2 verdict=found class=rma-conflict args=receive */
/* explore: ranks=2 verdict=race-free args=receive_next */
/* explore: ranks=2 verdict=found class=rma-conflict args=send */
#include <mpi.h>
#include <stdbool.h>
#include <string.h>

static const char *wanted;
static int *memory;
static MPI_Win window;

static bool is(const char *name) { return strcmp(wanted, name) == 0; }
static bool begins(const char *name) { return strncmp(wanted, name, strlen(name)) == 0; }
static bool ends(const char *name) {
    const size_t all = strlen(wanted), last = strlen(name);
    return all >= last && strcmp(wanted + all - last, name) == 0;
}

static void wait_for_message(int source) { MPI_Recv(NULL, 0, MPI_INT, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

static void send_message(int target) { MPI_Send(NULL, 0, MPI_INT, target, 0, MPI_COMM_WORLD); }

static void origin(void) {
    int value = is("load_same") ? 1 : 7;
    if (ends("_before") || is("load_later"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (is("store_told"))
        wait_for_message(1);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    if (begins("store") || begins("receive"))
        MPI_Get(&value, 1, MPI_INT, 1, 1, 1, MPI_INT, window);
    else
        MPI_Put(&value, 1, MPI_INT, 1, 1, 1, MPI_INT, window);
    if (is("load_flushed"))
        MPI_Win_flush(1, window);
    MPI_Win_unlock(1, window);
    if (is("load_told") || is("store_heard"))
        send_message(1);
    if (is("between_relay"))
        send_message(2);
    if (is("receive_next"))
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (ends("_after") || is("load_later"))
        MPI_Barrier(MPI_COMM_WORLD);
}

static void use(int place) {
    static int copy;
    if (is("receive_next"))
        MPI_Recv(&memory[place], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (begins("receive") || begins("send"))
        MPI_Sendrecv(begins("send") ? &memory[place] : &copy, 1, MPI_INT, 1, 0, begins("send") ? &copy : &memory[place], 1,
                     MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (begins("store"))
        memory[place] = is("store_own") ? memory[place] : 3;
    else
        copy = memory[place];
}

static void owner(void) {
    if (ends("_after") || is("load_later"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (is("load_later"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (is("load_told") || is("store_heard"))
        wait_for_message(0);
    if (begins("between"))
        wait_for_message(2);
    if (ends("_own"))
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    use(ends("_beside") ? 2 : 1);
    if (ends("_own"))
        MPI_Win_unlock(1, window);
    if (is("store_told"))
        send_message(0);
    if (begins("between"))
        send_message(2);
    if (ends("_before"))
        MPI_Barrier(MPI_COMM_WORLD);
}

static void third(void) {
    if (is("between_relay"))
        wait_for_message(0);
    send_message(1);
    wait_for_message(1);
}

int main(int argc, char **argv) {
    int rank;
    wanted = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(3 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    for (int i = 0; i < 3; i++)
        memory[i] = i;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        origin();
    else if (rank == 1)
        owner();
    else
        third();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
