/* In an epoch of fences or of post the owner of a window stores what is there already, where another process puts something else: what
 * the window holds then depends on which comes first (MPI-3.1 11.7), so it is a conflict as any other store is; also if a call stores
 * it, by which a message or a collective's result comes. Stores elsewhere, before the epoch or behind it are no conflict, nor is a
 * receive whose message is too short to come there. */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence_store says=MPI_Put */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence_there_and_back says=MPI_Put */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence_long_store says=MPI_Put */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence_between_store says=MPI_Put */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence_between_look says=MPI_Put */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence_receive */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence_irecv */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence_mrecv */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence_bcast */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence_allreduce */
/* explore: ranks=3 verdict=found class=rma-conflict args=post_store says=MPI_Put */
/* explore: ranks=3 verdict=found class=rma-conflict args=post_receive */
/* explore: ranks=3 verdict=race-free args=fence_elsewhere_store */
/* explore: ranks=3 verdict=race-free args=fence_elsewhere_receive */
/* explore: ranks=3 verdict=race-free args=fence_elsewhere_bcast */
/* explore: ranks=3 verdict=race-free args=post_elsewhere_receive */
/* explore: ranks=3 verdict=race-free args=fence_early_store */
/* explore: ranks=3 verdict=race-free args=fence_early_bcast */
/* explore: ranks=3 verdict=race-free args=post_early_store */
/* explore: ranks=3 verdict=race-free args=post_late_store */
/* explore: ranks=3 verdict=race-free args=fence_short */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const char *what;
static MPI_Win window, second; /* `second`: nobody accesses it */
static volatile int memory[4];
static int rank;

static int has(const char *part) { return strstr(what, part) != NULL; }

static void receive(int *cell) {
    MPI_Request request;
    MPI_Message message;
    if (has("irecv")) {
        MPI_Irecv(cell, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (has("mrecv")) {
        MPI_Mprobe(2, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(cell, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(cell, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* What process 0 does with its own window; the others what that needs. */
static void use(void) {
    int zero = 0, result, *cell = (int *)&memory[has("elsewhere") ? 2 : 1];
    if (has("bcast")) {
        MPI_Bcast(rank == 0 ? cell : &zero, 1, MPI_INT, 2, MPI_COMM_WORLD);
    } else if (has("allreduce")) {
        MPI_Allreduce(&zero, rank == 0 ? cell : &result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    } else if (rank == 2 && (has("rec") || has("short"))) {
        MPI_Send(&zero, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else if (rank == 0 && has("rec")) {
        receive(cell);
    } else if (rank == 0 && has("short")) {
        MPI_Recv((int *)memory, 4, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 0 && has("there_and_back")) {
        memory[1] = 5;
        memory[1] = 0;
    } else if (rank == 0 && has("look")) {
        printf("%d\n", *(volatile int *)cell);
    } else if (rank == 0) {
        *(volatile int *)cell = 0;
    }
}

/* Many steps in which process 0 learns nothing of the put. */
static void go_on(void) {
    for (int i = 0, number; i < 20 && rank != 1; i++) {
        if (rank == 2)
            MPI_Send(&i, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        else
            MPI_Recv(&number, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void by_fences(void) {
    const int value = 9;
    if (has("early"))
        use();
    MPI_Win_fence(0, window);
    if (has("between"))
        MPI_Win_fence(0, second);
    if (rank == 1)
        MPI_Put(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
    if (!has("early"))
        use();
    if (has("between"))
        MPI_Win_fence(0, second);
    if (has("long"))
        go_on();
    MPI_Win_fence(0, window);
}

static void by_post(void) {
    const int value = 9, other = 1 - rank;
    MPI_Group world, group;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    if (has("early"))
        use();
    if (rank < 2)
        MPI_Group_incl(world, 1, &other, &group);
    if (rank == 0)
        MPI_Win_post(group, 0, window);
    if (rank == 1)
        MPI_Win_start(group, 0, window);
    if (rank == 1)
        MPI_Put(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
    if (!has("early") && !has("late"))
        use();
    if (rank == 1)
        MPI_Win_complete(window);
    if (rank == 0)
        MPI_Win_wait(window);
    if (has("late"))
        use();
    if (rank < 2)
        MPI_Group_free(&group);
    MPI_Group_free(&world);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    what = argv[1];
    MPI_Win_create((void *)memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &second);
    if (has("fence"))
        by_fences();
    else
        by_post();
    if (rank == 0)
        printf("%d\n", memory[1]);
    MPI_Win_free(&second);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
