/* The owner of a window reads it while others may change it (MPI-3.1 11.7): what an epoch brings it may not look at before the epoch
 * is over. It may look at what others leave alone, and at what they change only after it has spoken to them. */
/* explore: ranks=2 verdict=found class=rma-conflict args=put says=MPI_Put */
/* explore: ranks=2 verdict=found class=rma-conflict args=accumulate */
/* explore: ranks=2 verdict=race-free args=get */
/* explore: ranks=2 verdict=race-free args=elsewhere */
/* explore: ranks=2 verdict=race-free args=after */
/* explore: ranks=2 verdict=found class=rma-conflict args=in_a_branch */
/* explore: ranks=2 verdict=found class=rma-conflict args=sends_it */
/* explore: ranks=2 verdict=race-free args=own_put */
/* explore: ranks=2 verdict=found class=rma-conflict args=after_barrier */
/* explore: ranks=2 verdict=race-free args=before_barrier */
/* explore: ranks=2 verdict=race-free args=before_message */
/* explore: ranks=2 verdict=found class=rma-conflict args=exposed */
/* explore: ranks=2 verdict=found class=rma-conflict args=exposed_test */
/* explore: ranks=2 verdict=race-free args=exposed_after */
/* explore: ranks=2 verdict=race-free args=exposed_before */
/* Where steps are no longer executed one by one. */
/* explore: ranks=5 verdict=found class=rma-conflict args=late says=MPI_Put */
/* explore: ranks=5 verdict=race-free args=late_after */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static MPI_Win window;
static int memory[4] = {1, 2, 3, 4};

static void look(int i) { printf("%d\n", memory[i]); }

static bool is_late(const char *what) { return strncmp(what, "late", 4) == 0; }

static void origin(const char *what) {
    int value = 7;
    if (strcmp(what, "before_barrier") == 0 || strcmp(what, "after_barrier") == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(what, "before_message") == 0)
        MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(what, "accumulate") == 0)
        MPI_Accumulate(&value, 1, MPI_INT, 1, 1, 1, MPI_INT, MPI_SUM, window);
    else if (strcmp(what, "get") == 0)
        MPI_Get(&value, 1, MPI_INT, 1, 1, 1, MPI_INT, window);
    else if (strcmp(what, "own_put"))
        MPI_Put(&value, 1, MPI_INT, 1, 1, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
}

static void owner(const char *what) {
    MPI_Request request = MPI_REQUEST_NULL;
    int value = 8;
    if (strcmp(what, "after_barrier") == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(what, "elsewhere") == 0)
        look(2);
    else if (strcmp(what, "in_a_branch") == 0)
        puts(memory[1] == 2 ? "two" : "something else");
    else if (strcmp(what, "sends_it") == 0)
        MPI_Put(&memory[1], 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    else if (strcmp(what, "own_put") == 0)
        MPI_Put(&value, 1, MPI_INT, 1, 3, 1, MPI_INT, window);
    if (strcmp(what, "after") && strcmp(what, "late_after") && strcmp(what, "elsewhere") && strcmp(what, "in_a_branch") &&
        strcmp(what, "sends_it"))
        look(1);
    if (strcmp(what, "before_barrier") == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(what, "before_message") == 0)
        MPI_Isend(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Win_fence(0, window);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    look(1);
}

static void expose(const char *what, MPI_Group other) {
    int flag = 0;
    if (strcmp(what, "exposed_before") == 0)
        look(1);
    MPI_Win_post(other, 0, window);
    if (strcmp(what, "exposed_test") == 0) {
        MPI_Win_test(window, &flag);
        if (!flag)
            look(1);
    }
    if (strcmp(what, "exposed") == 0)
        look(1);
    if (!flag)
        MPI_Win_wait(window);
    look(1);
}

static void access_exposed(MPI_Group other) {
    int value = 7;
    MPI_Win_start(other, 0, window);
    MPI_Put(&value, 1, MPI_INT, 1, 1, 1, MPI_INT, window);
    MPI_Win_complete(window);
}

static void post_and_start(const char *what, int rank) {
    MPI_Group world, other;
    int peer = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &peer, &other);
    if (rank == 0)
        access_exposed(other);
    else
        expose(what, other);
    MPI_Group_free(&other);
    MPI_Group_free(&world);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    const char *what = argc > 1 ? argv[1] : "after";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (strncmp(what, "exposed", 7) == 0) {
        post_and_start(what, rank);
    } else {
        MPI_Win_fence(0, window);
        for (int i = 0; i < 40 && is_late(what); i++)
            MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            origin(what);
        else if (rank == 1)
            owner(what);
        else
            MPI_Win_fence(0, window);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
