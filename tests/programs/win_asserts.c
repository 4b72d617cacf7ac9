/* What a fence or post asserts must be true (MPI-3.1 11.5.5): MPI_MODE_NOPUT, that nobody changes the window in the epoch that begins;
 * MPI_MODE_NOSTORE, that the owner has not in the one that ends. What is stored before the first fence is in no epoch. */
/* explore: ranks=2 verdict=race-free args=none */
/* explore: ranks=2 verdict=found class=rma-epoch args=noput says=MPI_MODE_NOPUT */
/* explore: ranks=2 verdict=race-free args=noput_get */
/* explore: ranks=2 verdict=found class=rma-epoch args=post_noput says=MPI_MODE_NOPUT */
/* explore: ranks=2 verdict=found class=rma-epoch args=nostore says=MPI_MODE_NOSTORE */
/* explore: ranks=2 verdict=race-free args=nostore_put */
/* explore: ranks=2 verdict=race-free args=nostore_before */
#include <mpi.h>
#include <string.h>

static int memory[2], value = 1;
static MPI_Win window;

static void access_other(const char *what) {
    if (strcmp(what, "noput_get") == 0)
        MPI_Get(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    else if (strcmp(what, "nostore"))
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
}

static void post(int rank) {
    MPI_Group world, other;
    int peer = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &peer, &other);
    if (rank == 0) {
        MPI_Win_start(other, 0, window);
        access_other("");
        MPI_Win_complete(window);
    } else {
        MPI_Win_post(other, MPI_MODE_NOPUT, window);
        MPI_Win_wait(window);
    }
    MPI_Group_free(&other);
    MPI_Group_free(&world);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    const char *what = argc > 1 ? argv[1] : "none";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    memory[1] = 5;
    if (strcmp(what, "post_noput") == 0) {
        post(rank);
    } else {
        MPI_Win_fence(strncmp(what, "noput", 5) == 0        ? MPI_MODE_NOPUT
                      : strcmp(what, "nostore_before") == 0 ? MPI_MODE_NOSTORE
                                                            : 0,
                      window);
        if (rank == 0)
            access_other(what);
        if (strcmp(what, "nostore") == 0)
            memory[1] = 6;
        MPI_Win_fence(strncmp(what, "nostore", 7) == 0 ? MPI_MODE_NOSTORE : 0, window);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
