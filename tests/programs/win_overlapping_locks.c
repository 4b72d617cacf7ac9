/* Two windows of the same memory of rank 0 (MPI-3.1 11.2.1): rank 1 accesses a number through the first, in an epoch of fences, and
 * rank 2 through the second, under a lock. The epoch goes on until rank 0 has left the second fence, so the one must be complete
 * before the other begins, whatever locks are held and whether anything changes or not.
 *
 *     put_put, put_get, get_put, add_add               at the same time; what rank 1 does, then what rank 2 does
 *     put_rget                                       ... which rank 2 waits for
 *     get_get                                        reading goes with reading
 *     put_apart                                      they are to different numbers
 *     exclusive_put_put                              with an exclusive lock
 *     before_put_put                                 rank 2 unlocks, a barrier, then rank 1 puts
 *     before_flushed_put_put                         rank 2 flushes, and unlocks after the barrier
 *     before_twice_put_put                           ... two barriers, and the first before rank 2 locks
 *     late_put_put                                   a barrier, then both
 *     open_put_put                                   rank 2 has put, but unlocks only when rank 1 has put: barriers come between
 *     local_put_put                                  ... and flushes locally before the first barrier; local_put_get: gets, so
 *                                                    that is complete
 *     done_put_put                                   rank 2 puts behind the second fence and a barrier
 *     earlier_put_put                                rank 2 unlocks before the first fence
 *     spans_put_put                                  it has put before the first fence, and unlocks after the second
 *     word_put_put                                   rank 2 unlocks, then sends to rank 1, which puts: the message is not known to
 *                                                    come after rank 2's put, so this is refused
 *     word_late_put_put                              ... but if a barrier comes between, it is not needed
 *     same_put_put                                   rank 1 does both, the one after the other: refused
 *
 * posted_...: the same in an epoch of MPI_Win_post, which begins before the first barrier. Not run under mpiexec: MPICH 4.0 takes
 * the second window to begin where the first does. */
/* explore: ranks=3 verdict=found class=rma-conflict args=put_put */
/* explore: ranks=3 verdict=found class=rma-conflict args=put_get */
/* explore: ranks=3 verdict=found class=rma-conflict args=get_put */
/* explore: ranks=3 verdict=found class=rma-conflict args=add_add */
/* explore: ranks=3 verdict=found class=rma-conflict args=put_rget */
/* explore: ranks=3 verdict=race-free args=get_get mpiexec=no */
/* explore: ranks=3 verdict=race-free args=put_apart mpiexec=no */
/* explore: ranks=3 verdict=found class=rma-conflict args=exclusive_put_put */
/* explore: ranks=3 verdict=race-free args=before_put_put mpiexec=no */
/* explore: ranks=3 verdict=race-free args=before_flushed_put_put mpiexec=no */
/* explore: ranks=3 verdict=race-free args=before_twice_put_put mpiexec=no */
/* explore: ranks=3 verdict=found class=rma-conflict args=late_put_put */
/* explore: ranks=3 verdict=found class=rma-conflict args=open_put_put */
/* explore: ranks=3 verdict=found class=rma-conflict args=local_put_put */
/* explore: ranks=3 verdict=race-free args=local_put_get mpiexec=no */
/* explore: ranks=3 verdict=race-free args=done_put_put mpiexec=no */
/* explore: ranks=3 verdict=race-free args=earlier_put_put mpiexec=no */
/* explore: ranks=3 verdict=found class=rma-conflict args=spans_put_put */
/* explore: ranks=3 verdict=cannot-run args=word_put_put mpiexec=no */
/* explore: ranks=3 verdict=race-free args=word_late_put_put mpiexec=no */
/* explore: ranks=3 verdict=cannot-run args=same_put_put mpiexec=no */
/* explore: ranks=3 verdict=found class=rma-conflict args=posted_put_put */
/* explore: ranks=3 verdict=found class=rma-conflict args=posted_put_get */
/* explore: ranks=3 verdict=race-free args=posted_get_get mpiexec=no */
/* explore: ranks=3 verdict=race-free args=posted_before_put_put mpiexec=no */
/* explore: ranks=3 verdict=found class=rma-conflict args=posted_late_put_put */
/* explore: ranks=3 verdict=found class=rma-conflict args=posted_open_put_put */
/* explore: ranks=3 verdict=race-free args=posted_done_put_put mpiexec=no */
/* explore: ranks=3 verdict=cannot-run args=posted_word_put_put mpiexec=no */
#include <mpi.h>
#include <stdbool.h>
#include <string.h>

enum { NUMBERS = 4, PLACE = 2, ZERO = 0, TARGET = 0 };

static const char *what = "";
static int rank, memory[NUMBERS], got;
static MPI_Win first, second; /* memory[PLACE] is at PLACE in the first, and at PLACE - 1 in the second */

static bool has(const char *part) { return strstr(what, part) != NULL; }

static bool ends(const char *part) {
    const size_t length = strlen(part);
    return strlen(what) >= length && strcmp(what + strlen(what) - length, part) == 0;
}

static void make(MPI_Win *window, int from) {
    const MPI_Aint size = rank == TARGET ? (NUMBERS - from) * (MPI_Aint)sizeof(int) : 0;
    MPI_Win_create(memory + from, size, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, window);
}

static void put(int place, MPI_Win window) {
    static const int zero = ZERO;
    MPI_Put(&zero, 1, MPI_INT, TARGET, place, 1, MPI_INT, window);
}

static void add(int place, MPI_Win window) {
    static const int zero = ZERO;
    MPI_Accumulate(&zero, 1, MPI_INT, TARGET, place, 1, MPI_INT, MPI_SUM, window);
}

static void get(int place, MPI_Win window) { MPI_Get(&got, 1, MPI_INT, TARGET, place, 1, MPI_INT, window); }

static void get_and_wait(int place) {
    MPI_Request request;
    MPI_Rget(&got, 1, MPI_INT, TARGET, place, 1, MPI_INT, second, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* ---- rank 1, in the epoch ---- */

static void begin_epoch(void) {
    MPI_Group all, others;
    const int origin = 1, target = TARGET;
    if (!has("posted")) {
        MPI_Win_fence(0, first);
        return;
    }
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, rank == TARGET ? &origin : &target, &others);
    if (rank == TARGET)
        MPI_Win_post(others, 0, first);
    else if (rank == origin)
        MPI_Win_start(others, 0, first);
    MPI_Group_free(&others);
    MPI_Group_free(&all);
}

static void end_epoch(void) {
    if (!has("posted"))
        MPI_Win_fence(0, first);
    else if (rank == TARGET)
        MPI_Win_wait(first);
    else if (rank == 1)
        MPI_Win_complete(first);
}

static void access_in_epoch(void) {
    if (rank != 1)
        return;
    if (has("add"))
        add(PLACE, first);
    else if (has("get_get") || has("get_put"))
        get(PLACE, first);
    else
        put(PLACE, first);
}

/* ---- rank 2, or 1 itself, under a lock ---- */

static bool locks(void) { return rank == (has("same") ? 1 : 2); }

static void lock_and_access(void) {
    if (!locks())
        return;
    MPI_Win_lock(has("exclusive") ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, TARGET, 0, second);
    if (has("add"))
        add(PLACE - 1, second);
    else if (has("rget"))
        get_and_wait(PLACE - 1);
    if (ends("_get"))
        get(PLACE - 1, second);
    else if (ends("_put"))
        put(PLACE - 1, second);
    else if (has("apart"))
        put(PLACE, second);
    if (has("flushed"))
        MPI_Win_flush(TARGET, second);
    if (has("local"))
        MPI_Win_flush_local(TARGET, second);
}

static void unlock(void) {
    if (locks())
        MPI_Win_unlock(TARGET, second);
}

static void access_under_lock(void) {
    lock_and_access();
    unlock();
}

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

static void say(void) {
    if (rank == 2)
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(&got, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* ---- in which order ---- */

static void in_epoch(void) {
    const bool goes_on = has("open") || has("flushed") || has("local");
    if (has("late_put") && !has("word"))
        barrier();
    if (has("twice"))
        barrier();
    if (has("before") || has("word") || has("same") || goes_on) {
        lock_and_access();
        if (!goes_on)
            unlock();
        if (has("before") || has("word_late") || goes_on)
            barrier();
        if (has("word"))
            say();
        access_in_epoch();
        if (!goes_on)
            return;
        barrier();
        unlock();
        return;
    }
    access_in_epoch();
    if (!has("done") && !has("earlier") && !has("spans"))
        access_under_lock();
}

int main(int argc, char **argv) {
    what = argc > 1 ? argv[1] : what;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    make(&first, 0);
    make(&second, 1);
    if (has("earlier"))
        access_under_lock();
    if (has("spans"))
        lock_and_access();
    begin_epoch();
    in_epoch();
    end_epoch();
    if (has("done"))
        barrier();
    if (has("done"))
        access_under_lock();
    if (has("spans"))
        unlock();
    barrier();
    MPI_Win_free(&second);
    MPI_Win_free(&first);
    MPI_Finalize();
    return 0;
}
