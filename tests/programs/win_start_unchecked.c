/* MPI_Win_start with MPI_MODE_NOCHECK says that the targets have called MPI_Win_post already (MPI-3.1 11.5.5). That must be so in every
 * ordering: because of a barrier or a message after the post, or because the post is this process's own. */
/* explore: ranks=2 verdict=found class=rma-epoch args=at_once says=MPI_MODE_NOCHECK */
/* explore: ranks=2 verdict=found class=rma-epoch args=message_before */
/* explore: ranks=2 verdict=found class=rma-epoch args=barrier_only_first */
/* explore: ranks=2 verdict=race-free args=barrier */
/* explore: ranks=2 verdict=race-free args=message_after */
/* explore: ranks=3 verdict=race-free args=message_both */
/* explore: ranks=2 verdict=race-free args=barrier_twice */
/* explore: ranks=2 verdict=race-free args=checked */
/* explore: ranks=1 verdict=race-free args=own */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const char *what;
static MPI_Win window;
static MPI_Group target, origin;
static int memory[4], rank, size, times;

static int has(const char *part) { return strstr(what, part) != NULL; }

static void tell(void) { MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD); }

static void hear(int from) { MPI_Recv(NULL, 0, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

static void post(void) { MPI_Win_post(origin, has("checked") ? 0 : MPI_MODE_NOCHECK, window); }

static void access_target(void) {
    int value = 7;
    MPI_Win_start(target, has("checked") ? 0 : MPI_MODE_NOCHECK, window);
    MPI_Put(&value, 1, MPI_INT, size == 1 ? 0 : 1, 0, 1, MPI_INT, window);
    MPI_Win_complete(window);
}

static void expose(void) {
    if (has("message_before"))
        tell();
    post();
    if (has("message_after") || has("message_both"))
        tell();
    if (has("barrier") && !(has("only_first") && times > 0))
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_wait(window);
    printf("%d\n", memory[0]);
}

static void start(void) {
    if (has("message_before") || has("message_after"))
        hear(1);
    for (int i = 0; i < 2 && has("message_both"); i++)
        hear(MPI_ANY_SOURCE);
    if (has("barrier") && !(has("only_first") && times > 0))
        MPI_Barrier(MPI_COMM_WORLD);
    access_target();
}

int main(int argc, char **argv) {
    MPI_Group world;
    int zero = 0, last;
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : "checked";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    last = size == 1 ? 0 : 1;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &zero, &origin);
    MPI_Group_incl(world, 1, &last, &target);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (size == 1) {
        post();
        access_target();
        MPI_Win_wait(window);
    }
    for (; times < (has("twice") || has("only_first") ? 2 : 1) && size > 1; times++) {
        if (rank == 0)
            start();
        else if (rank == 1)
            expose();
        else
            tell();
    }
    MPI_Group_free(&target);
    MPI_Group_free(&origin);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
