/* What the owner of a window loads in an epoch, which an origin changes in it (MPI-3.1 section 11.7): right only if the change comes
 * after the load, which the origin must have been told. What it loads makes no difference.
 *
 *   first word: fence, post
 *   second:     waits     the owner loads, and hears from rank 2 before the epoch ends; the origin has heard from rank 2, too, but
 *                         nobody from the owner
 *               tells     ... and tells the origin then, which changes it when it hears that: right
 *               sent      the origin sends rank 2 a message, which tells itself nothing, and makes its change; the owner loads, and
 *                         says something to both after that
 *               heard     the origin makes its change when it has heard that: right */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence+waits */
/* explore: ranks=3 verdict=race-free args=fence+tells */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence+sent */
/* explore: ranks=3 verdict=race-free args=fence+heard */
/* explore: ranks=3 verdict=found class=rma-conflict args=post+waits */
/* explore: ranks=3 verdict=race-free args=post+tells */
/* explore: ranks=3 verdict=found class=rma-conflict args=post+sent */
/* explore: ranks=3 verdict=race-free args=post+heard */
#include <mpi.h>
#include <string.h>

static int rank;
static const char *when;
static int posts;
static int *memory;
static volatile int loaded;
static MPI_Win window;

static int is(const char *name) { return strcmp(when, name) == 0; }

static void tell(int to) { MPI_Send(NULL, 0, MPI_INT, to, 0, MPI_COMM_WORLD); }

static void hear(int from) { MPI_Recv(NULL, 0, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

static void change(void) {
    static const int number = 7;
    MPI_Put(&number, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
}

static void origin(void) {
    if (is("waits"))
        hear(2);
    if (is("sent") || is("heard"))
        tell(2);
    if (is("tells") || is("heard"))
        hear(1);
    change();
    if (is("sent"))
        hear(1);
}

static void owner(void) {
    loaded = memory[0];
    if (is("waits") || is("tells"))
        hear(2);
    if (!is("waits"))
        tell(0);
    if (is("sent") || is("heard"))
        tell(2);
}

static void third(void) {
    if (is("waits"))
        tell(0);
    if (is("waits") || is("tells")) {
        tell(1);
    } else {
        hear(0);
        hear(1);
    }
}

static void begin(MPI_Group other) {
    if (!posts)
        MPI_Win_fence(0, window);
    else if (rank == 0)
        MPI_Win_start(other, 0, window);
    else if (rank == 1)
        MPI_Win_post(other, 0, window);
}

static void end(void) {
    if (!posts)
        MPI_Win_fence(0, window);
    else if (rank == 0)
        MPI_Win_complete(window);
    else if (rank == 1)
        MPI_Win_wait(window);
}

int main(int argc, char **argv) {
    MPI_Group all, other;
    const char *words = argc > 1 ? argv[1] : "fence+tells";
    posts = strncmp(words, "post", 4) == 0;
    when = strchr(words, '+') + 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &(int){rank == 0 ? 1 : 0}, &other);
    begin(other);
    (rank == 0 ? origin : rank == 1 ? owner : third)();
    end();
    MPI_Group_free(&all);
    MPI_Group_free(&other);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
