/* An epoch of MPI_Win_start and MPI_Win_complete matches one of MPI_Win_post and MPI_Win_wait at each target (MPI-3.1 section 11.5.2).
 * Where both calls may return early and the target never posts, nobody waits, and the mistake is told at the end: as one about epochs,
 * not about the messages that they are made of here. Where they wait it is a deadlock. */
/* explore: ranks=2 verdict=found class=rma-epoch args=never buffering=infinite says=MPI_Win_post */
/* explore: ranks=2 verdict=found class=deadlock args=never buffering=none */
/* explore: ranks=2 verdict=found class=rma-epoch args=puts buffering=infinite */
/* explore: ranks=2 verdict=found class=rma-epoch args=once_of_twice buffering=infinite */
/* The other half: a window is exposed to a rank that does not access it, and neither MPI_Win_wait nor MPI_Win_free is called. */
/* explore: ranks=2 verdict=found class=rma-epoch args=post_only says=MPI_Win_start */
/* explore: ranks=2 verdict=race-free args=twice */
/* explore: ranks=2 verdict=race-free args=nobody */
#include <mpi.h>
#include <string.h>

static const char *what;
static MPI_Win window;
static MPI_Group other;
static int memory[4];

static int is(const char *name) { return strcmp(what, name) == 0; }

static void access_other(MPI_Group group) {
    static const int one = 1;
    MPI_Win_start(group, 0, window);
    if (is("puts"))
        MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    MPI_Win_complete(window);
}

static void expose(void) {
    MPI_Win_post(other, 0, window);
    MPI_Win_wait(window);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : "twice";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Group members;
    MPI_Win_get_group(window, &members);
    int target = 1 - rank;
    MPI_Group_incl(members, 1, &target, &other);
    MPI_Group_free(&members);
    const int epochs = is("twice") || is("once_of_twice") ? 2 : 1;
    for (int i = 0; rank == 0 && !is("post_only") && i < epochs; i++)
        access_other(is("nobody") ? MPI_GROUP_EMPTY : other);
    for (int i = 0; rank == 1 && i < (is("twice") ? 2 : is("once_of_twice")); i++)
        expose();
    if (rank == 1 && is("post_only"))
        MPI_Win_post(other, 0, window);
    MPI_Group_free(&other);
    if (!is("post_only"))
        MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
