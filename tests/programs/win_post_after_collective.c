/* The owner of a window reads, after MPI_Win_post, what another process changes in that epoch, and says something to that process before the
 * epoch ends (MPI-3.1 11.7). That process made its access before it heard of it, and all that it had heard before is from a collective that
 * both entered before the post: so the access may come before what is read. "heard": it is made after what was said, and all is well. With
 * "lock" the program locks another window, by which "seen" says it: the change is made only by who has seen that. "thrice": it is
 * said by three barriers, which take more steps there. */
/* explore: ranks=2 verdict=found class=rma-conflict args=allreduce says=MPI_Put */
/* explore: ranks=2 verdict=race-free args=allreduce_heard */
/* explore: ranks=2 verdict=found class=rma-conflict args=allgather */
/* explore: ranks=2 verdict=race-free args=allgather_elsewhere */
/* explore: ranks=2 verdict=found class=rma-conflict args=dup */
/* explore: ranks=2 verdict=race-free args=dup_heard */
/* explore: ranks=2 verdict=found class=rma-conflict args=lock */
/* explore: ranks=2 verdict=race-free args=lock_heard */
/* explore: ranks=2 verdict=found class=rma-conflict args=lock_thrice */
/* explore: ranks=2 verdict=race-free args=lock_thrice_elsewhere */
/* explore: ranks=2 verdict=race-free args=lock_seen */
/* explore: ranks=2 verdict=race-free args=barrier_lock_seen */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const char *what;
static int memory[4] = {1, 2, 3, 4}, rank;
static volatile long *flag;
static MPI_Win window, flags;
static MPI_Group other;
static MPI_Comm copy = MPI_COMM_NULL;

static int has(const char *part) { return strstr(what, part) != NULL; }

static void meet(void) {
    int sum, all[2];
    if (has("lock")) {
        MPI_Win_allocate(sizeof *flag, sizeof *flag, MPI_INFO_NULL, MPI_COMM_WORLD, &flag, &flags);
        *flag = 0;
        MPI_Win_lock_all(0, flags);
    }
    if (has("barrier"))
        MPI_Barrier(MPI_COMM_WORLD);
    else if (has("allgather"))
        MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    else if (has("dup"))
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    else
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static int meet_thrice(void) {
    for (int i = 0; i < 3 && has("thrice"); i++)
        MPI_Barrier(MPI_COMM_WORLD);
    return has("thrice");
}

static void tell(void) {
    static const long one = 1;
    if (meet_thrice())
        return;
    if (!has("seen")) {
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
        return;
    }
    MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_REPLACE, flags);
    MPI_Win_flush(0, flags);
}

static void hear(void) {
    if (!meet_thrice() && !has("seen"))
        MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void own(void) {
    MPI_Win_post(other, 0, window);
    printf("%d\n", memory[has("elsewhere") ? 2 : 1]);
    tell();
    MPI_Win_wait(window);
}

static void change(void) {
    const int value = 7;
    MPI_Win_start(other, 0, window);
    if (has("heard"))
        hear();
    if (!has("seen") || *flag)
        MPI_Put(&value, 1, MPI_INT, 1, 1, 1, MPI_INT, window);
    if (!has("heard"))
        hear();
    MPI_Win_complete(window);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : "allreduce";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Group world;
    const int peer = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &peer, &other);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    meet();
    rank == 1 ? own() : change();
    if (has("lock")) {
        MPI_Win_unlock_all(flags);
        MPI_Win_free(&flags);
    }
    MPI_Win_free(&window);
    if (copy != MPI_COMM_NULL)
        MPI_Comm_free(&copy);
    MPI_Group_free(&other);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
