/* In an epoch of fences, or of post and start, rank 1 uses a cell of its window while rank 0 puts into it (MPI-3.1 11.7). Rank 0 has heard
 * that both have entered a barrier in the epoch, and no more, when it puts; what rank 1 does after that barrier does not come before the
 * put, whatever it says afterwards. Rank 0 puts "heard", after another barrier that rank 1 enters when it has used the cell: right. So it
 * is in an epoch of its own ("apart"), or to another cell ("beside").
 *
 *     read    rank 1 loads the cell
 *     send    it sends the cell to rank 0
 *     self    it sends the cell to itself, after all that it says to rank 0: nobody ever hears of it */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_read */
/* explore: ranks=2 verdict=race-free args=fence_read_heard */
/* explore: ranks=2 verdict=race-free args=fence_read_apart */
/* explore: ranks=2 verdict=race-free args=fence_read_beside */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_send says=MPI_Send */
/* explore: ranks=2 verdict=race-free args=fence_send_heard */
/* explore: ranks=2 verdict=race-free args=fence_send_beside */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence_self says=MPI_Sendrecv */
/* explore: ranks=2 verdict=race-free args=fence_self_apart */
/* explore: ranks=2 verdict=race-free args=fence_self_beside */
/* explore: ranks=2 verdict=found class=rma-conflict args=post_read */
/* explore: ranks=2 verdict=race-free args=post_read_heard */
/* explore: ranks=2 verdict=race-free args=post_read_apart */
/* explore: ranks=2 verdict=race-free args=post_read_beside */
/* explore: ranks=2 verdict=found class=rma-conflict args=post_send says=MPI_Send */
/* explore: ranks=2 verdict=race-free args=post_send_heard */
/* explore: ranks=2 verdict=race-free args=post_send_beside */
/* explore: ranks=2 verdict=found class=rma-conflict args=post_self says=MPI_Sendrecv */
/* explore: ranks=2 verdict=race-free args=post_self_apart */
/* explore: ranks=2 verdict=race-free args=post_self_beside */
#include <mpi.h>
#include <stdbool.h>
#include <string.h>

enum { CELL = 1, BESIDE = 2, CELLS = 3 };

static const char *wanted;
static int rank, memory[CELLS] = {1, 2, 3};
static MPI_Win window;
static MPI_Group other;

static bool has(const char *part) { return strstr(wanted, part) != NULL; }

/* Rank 1's memory is exposed to rank 0. */
static void begin(void) {
    if (has("fence"))
        MPI_Win_fence(0, window);
    else if (rank == 0)
        MPI_Win_start(other, 0, window);
    else
        MPI_Win_post(other, 0, window);
}

static void end(void) {
    if (has("fence"))
        MPI_Win_fence(0, window);
    else if (rank == 0)
        MPI_Win_complete(window);
    else
        MPI_Win_wait(window);
}

static void put(void) {
    static int value = 7;
    MPI_Put(&value, 1, MPI_INT, 1, has("beside") ? BESIDE : CELL, 1, MPI_INT, window);
}

static void hear_cell(void) {
    int cell;
    if (has("send"))
        MPI_Recv(&cell, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void use(void) {
    static int copy;
    if (has("read"))
        copy = memory[CELL];
    else if (has("send"))
        MPI_Send(&memory[CELL], 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else
        MPI_Sendrecv(&memory[CELL], 1, MPI_INT, 1, 0, &copy, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void origin(void) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (!has("heard"))
        put();
    hear_cell();
    if (!has("self"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (has("heard"))
        put();
}

static void owner(void) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (!has("apart"))
        use();
    if (!has("self"))
        MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    MPI_Group all;
    MPI_Init(&argc, &argv);
    wanted = argc > 1 ? argv[1] : "fence_read";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, (int[]){1 - rank}, &other);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    begin();
    if (rank == 0)
        origin();
    else
        owner();
    end();
    if (has("apart") && rank == 1)
        use();
    MPI_Win_free(&window);
    MPI_Group_free(&other);
    MPI_Group_free(&all);
    MPI_Finalize();
    return 0;
}
