/* Between MPI_Win_post and MPI_Win_wait the owner of a window loads or sends what others change (MPI-3.1 11.7), and says something to
 * them before MPI_Win_wait. Found if whoever changes it need not have heard of that: it has heard nothing since its last epoch, or
 * since a barrier that the owner's post comes after. Whoever has heard of it, by a message or by a barrier that came after the load,
 * changes it rightly; so does who changes another place, or only reads. What is loaded after the last thing said is found whatever others
 * have heard. */
/* explore: ranks=2 verdict=found class=rma-conflict args=message says=MPI_Put */
/* explore: ranks=2 verdict=found class=rma-conflict args=barrier */
/* explore: ranks=2 verdict=found class=rma-conflict args=bcast */
/* explore: ranks=2 verdict=found class=rma-conflict args=message_accumulate */
/* explore: ranks=2 verdict=found class=rma-conflict args=barrier_after_barrier */
/* explore: ranks=2 verdict=found class=rma-conflict args=message_second */
/* explore: ranks=2 verdict=found class=rma-conflict args=message_send says=MPI_Send */
/* explore: ranks=2 verdict=found class=rma-conflict args=barrier_send */
/* explore: ranks=2 verdict=found class=rma-conflict args=nothing_send */
/* explore: ranks=3 verdict=found class=rma-conflict args=message_other */
/* explore: ranks=2 verdict=found class=rma-conflict args=message_heard_too_early */
/* explore: ranks=2 verdict=found class=rma-conflict args=barrier_heard_too_early */
/* explore: ranks=2 verdict=race-free args=message_heard_too_early_elsewhere */
/* explore: ranks=2 verdict=race-free args=message_heard */
/* explore: ranks=2 verdict=race-free args=barrier_heard */
/* explore: ranks=2 verdict=race-free args=bcast_heard */
/* explore: ranks=2 verdict=race-free args=message_heard_send */
/* explore: ranks=2 verdict=race-free args=message_heard_before_start */
/* explore: ranks=2 verdict=race-free args=barrier_heard_before_start */
/* explore: ranks=2 verdict=race-free args=barrier_heard_before_start_after_barrier */
/* explore: ranks=2 verdict=race-free args=message_heard_second */
/* explore: ranks=2 verdict=race-free args=message_elsewhere */
/* explore: ranks=2 verdict=race-free args=message_get */
/* explore: ranks=2 verdict=race-free args=message_before_post */
/* explore: ranks=2 verdict=race-free args=message_before_post_after_fence */
/* explore: ranks=3 verdict=race-free args=message_heard_other */
/* explore: ranks=3 verdict=found class=rma-conflict args=message_heard_other_at_once */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const char *what;
static MPI_Win window;
static MPI_Group world, owner, origin;
static MPI_Request request = MPI_REQUEST_NULL;
static int memory[4] = {1, 2, 3, 4}, rank, size;

static int has(const char *part) { return strstr(what, part) != NULL; }

static void use(void) {
    int *cell = &memory[has("elsewhere") ? 2 : 1];
    if (has("send"))
        MPI_Send(cell, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    else
        printf("%d\n", *cell);
}

static void pass_on(void) {
    MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
}

/* Process 1 says something to process 0; with a third one, by way of that, which may say that at once, before it has heard it. */
static void tell(void) {
    int token = 0, last = has("other") ? 2 : 1;
    if (has("nothing"))
        return;
    if (has("barrier"))
        MPI_Barrier(MPI_COMM_WORLD);
    else if (has("bcast"))
        MPI_Bcast(&token, 1, MPI_INT, 1, MPI_COMM_WORLD);
    else if (rank == 0)
        MPI_Recv(NULL, 0, MPI_INT, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (rank == 1)
        MPI_Isend(NULL, 0, MPI_INT, has("other") ? 2 : 0, 0, MPI_COMM_WORLD, &request);
    else if (has("at_once"))
        MPI_Sendrecv(NULL, 0, MPI_INT, 0, 0, NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        pass_on();
}

static void change(int heard) {
    int value = 7, received = 0;
    if (heard && has("before_start"))
        tell();
    MPI_Win_start(owner, 0, window);
    if (heard && has("send"))
        MPI_Recv(&received, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (heard && !has("before_start"))
        tell();
    if (has("get"))
        MPI_Get(&value, 1, MPI_INT, 1, 1, 1, MPI_INT, window);
    else if (has("accumulate"))
        MPI_Accumulate(&value, 1, MPI_INT, 1, 1, 1, MPI_INT, MPI_SUM, window);
    else
        MPI_Put(&value, 1, MPI_INT, 1, 1, 1, MPI_INT, window);
    if (!heard && has("send"))
        MPI_Recv(&received, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!heard)
        tell();
    MPI_Win_complete(window);
}

static void expose(void) {
    if (has("before_post"))
        use();
    MPI_Win_post(origin, 0, window);
    if (!has("before_post") && !has("too_early"))
        use();
    tell();
    if (has("too_early"))
        use();
    MPI_Win_wait(window);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* An epoch in which nobody looks at anything, and whose accesses are heard of. */
static void first_epoch(void) {
    int value = 3;
    if (rank == 0) {
        MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Win_start(owner, 0, window);
        MPI_Put(&value, 1, MPI_INT, 1, 1, 1, MPI_INT, window);
        MPI_Win_complete(window);
    } else if (rank == 1) {
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Win_post(origin, 0, window);
        MPI_Win_wait(window);
    }
}

int main(int argc, char **argv) {
    int zero = 0, one = 1;
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : "message_heard";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &zero, &origin);
    MPI_Group_incl(world, 1, &one, &owner);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (has("after_fence"))
        MPI_Win_fence(0, window);
    if (has("after_barrier"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (has("second"))
        first_epoch();
    if (rank == 0)
        change(has("heard"));
    else if (rank == 1)
        expose();
    else
        tell();
    MPI_Group_free(&origin);
    MPI_Group_free(&owner);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
