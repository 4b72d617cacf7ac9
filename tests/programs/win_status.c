/* A status of rank 0 lies in its window, where rank 1 puts another one. What MPI functions read of it is a load of rank 0's, down to the
 * one bit by which MPI_Test_cancelled is answered, and what they set is a store, also if it leaves the status as it is. So the put must
 * not come at the same time (MPI-3.1 section 11.7).
 *
 *   first word: what orders the two: fence, post (nothing does, in one epoch of that kind), lock (nothing does, under a shared lock),
 *               exclusive (each has the lock, one before the other: the outcome depends on which), after (rank 0 comes after a fence)
 *   second:     what rank 0 does: count, cancelled (reads these), set (clears what says that it was cancelled), receive (with that
 *               status: a message of its own as before); same: as cancelled, and rank 1 puts what is there already */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence+count */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence+cancelled */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence+same */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence+set */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence+receive */
/* explore: ranks=2 verdict=found class=rma-conflict args=post+cancelled */
/* explore: ranks=2 verdict=found class=rma-conflict args=lock+count */
/* explore: ranks=2 verdict=found class=rma-conflict args=lock+cancelled */
/* explore: ranks=2 verdict=found class=rma-conflict args=lock+receive */
/* explore: ranks=2 verdict=found class=race-output args=exclusive+cancelled */
/* explore: ranks=2 verdict=race-free args=exclusive+same */
/* explore: ranks=2 verdict=race-free args=after+count */
/* explore: ranks=2 verdict=race-free args=after+cancelled */
/* explore: ranks=2 verdict=race-free args=after+receive */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static MPI_Status status;
static MPI_Win window;
static const char *how, *what;
static int rank;

static int is(const char *word, const char *name) { return strcmp(word, name) == 0; }

static void receive_own(void) {
    int given = 1, taken;
    MPI_Sendrecv(&given, 1, MPI_INT, 0, 0, &taken, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &status);
}

static void use_status(void) {
    int number = 0;
    if (is(what, "receive"))
        receive_own();
    else if (is(what, "set"))
        MPI_Status_set_cancelled(&status, 0);
    else if (is(what, "count"))
        MPI_Get_count(&status, MPI_INT, &number);
    else
        MPI_Test_cancelled(&status, &number);
    printf("%d\n", number);
}

static void put(void) {
    static MPI_Status other;
    other = status;
    if (!is(what, "same")) {
        MPI_Status_set_elements(&other, MPI_INT, 7);
        MPI_Status_set_cancelled(&other, 1);
    }
    MPI_Put(&other, sizeof other, MPI_BYTE, 0, 0, sizeof other, MPI_BYTE, window);
    if (is(how, "lock") || is(how, "exclusive"))
        MPI_Win_flush(0, window);
}

static void between_fences(void) {
    MPI_Win_fence(0, window);
    if (rank == 1)
        put();
    else if (is(how, "fence"))
        use_status();
    MPI_Win_fence(0, window);
    if (rank == 0 && is(how, "after"))
        use_status();
}

static void by_post(void) {
    MPI_Group all, other;
    MPI_Win_get_group(window, &all);
    MPI_Group_incl(all, 1, &(int){1 - rank}, &other);
    if (rank == 0) {
        MPI_Win_post(other, 0, window);
        use_status();
        MPI_Win_wait(window);
    } else {
        MPI_Win_start(other, 0, window);
        put();
        MPI_Win_complete(window);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&other);
}

static void by_locks(void) {
    const int kind = is(how, "exclusive") ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED;
    if (rank == 1 || is(how, "exclusive"))
        MPI_Win_lock(kind, 0, 0, window);
    if (rank == 1)
        put();
    else
        use_status();
    if (rank == 1 || is(how, "exclusive"))
        MPI_Win_unlock(0, window);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char words[] = "fence+count";
    how = strtok(argc > 1 ? argv[1] : words, "+");
    what = strtok(NULL, "+");
    receive_own();
    MPI_Win_create(&status, sizeof status, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (is(how, "fence") || is(how, "after"))
        between_fences();
    else if (is(how, "post"))
        by_post();
    else
        by_locks();
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
