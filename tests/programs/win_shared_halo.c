/* Each rank of a ring stores to its own segment of a shared window and loads from its neighbours', twice over. What is loaded was
 * stored in the same round, if something comes between the two, and it is not overwritten in the next one before it was loaded, if
 * something comes there too. A barrier is enough (MPI_WIN_UNIFIED), with MPI_Win_sync or without, so are fences and messages. In "early"
 * nothing comes between stores and loads, in "late" nothing between loads and the next stores, in "half" only one neighbour
 * is waited for: there a load and a store are to the same place at the same time. */
/* explore: ranks=3 verdict=race-free args=fence */
/* explore: ranks=3 verdict=race-free args=sync */
/* explore: ranks=3 verdict=race-free args=barrier */
/* explore: ranks=3 verdict=race-free args=messages */
/* explore: ranks=2 verdict=race-free args=post */
/* explore: ranks=3 verdict=race-free args=apart */
/* explore: ranks=3 verdict=found class=rma-conflict args=early checkpoint=pages */
/* explore: ranks=3 verdict=found class=rma-conflict args=late checkpoint=pages */
/* explore: ranks=3 verdict=found class=rma-conflict args=half */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { CELLS = 3, ROUNDS = 2 };

static MPI_Win window;
static MPI_Group neighbours;
static int left, right;
static const char *what;

static void exchange_messages(void) {
    MPI_Request request[4];
    MPI_Isend(NULL, 0, MPI_INT, left, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(NULL, 0, MPI_INT, right, 1, MPI_COMM_WORLD, &request[1]);
    MPI_Irecv(NULL, 0, MPI_INT, right, 0, MPI_COMM_WORLD, &request[2]);
    MPI_Irecv(NULL, 0, MPI_INT, left, 1, MPI_COMM_WORLD, &request[3]);
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
}

static void hear_of_left(void) {
    MPI_Sendrecv(NULL, 0, MPI_INT, right, 0, NULL, 0, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void post_and_start(void) {
    MPI_Win_post(neighbours, 0, window);
    MPI_Win_start(neighbours, 0, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
}

static void synchronise(void) {
    if (strcmp(what, "fence") == 0)
        MPI_Win_fence(0, window);
    else if (strcmp(what, "messages") == 0)
        exchange_messages();
    else if (strcmp(what, "half") == 0)
        hear_of_left();
    else if (strcmp(what, "post") == 0)
        post_and_start();
    else
        MPI_Barrier(MPI_COMM_WORLD);
}

static void memory_barrier(void) {
    if (strcmp(what, "sync") == 0)
        MPI_Win_sync(window);
}

static int *segment_of(int rank) {
    MPI_Aint size;
    int unit, *base;
    MPI_Win_shared_query(window, rank, &size, &unit, &base);
    return base;
}

static void run(int rank, int *own) {
    const int *at_left = segment_of(left), *at_right = segment_of(right);
    for (int round = 1; round <= ROUNDS; round++) {
        for (int i = 0; i < CELLS; i++)
            own[i] = 100 * round + 10 * rank + i;
        memory_barrier();
        if (strcmp(what, "early"))
            synchronise();
        memory_barrier();
        printf("%d between %d and %d\n", own[1], at_left[CELLS - 1], at_right[0]);
        memory_barrier();
        if (strcmp(what, "late"))
            synchronise();
    }
}

int main(int argc, char **argv) {
    int rank, size, *own;
    MPI_Info info;
    MPI_Group world;
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : "fence";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &left, &neighbours); /* of two ranks the only one */
    MPI_Info_create(&info);
    if (strcmp(what, "apart") == 0)
        MPI_Info_set(info, "alloc_shared_noncontig", "true");
    MPI_Win_allocate_shared(CELLS * sizeof(int), sizeof(int), info, MPI_COMM_WORLD, &own, &window);
    if (strcmp(what, "sync") == 0)
        MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    if (strcmp(what, "fence") == 0)
        MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    run(rank, own);
    if (strcmp(what, "sync") == 0)
        MPI_Win_unlock_all(window);
    if (strcmp(what, "fence") == 0)
        MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);
    MPI_Info_free(&info);
    MPI_Group_free(&neighbours);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
