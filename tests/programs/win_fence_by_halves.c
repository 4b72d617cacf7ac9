/* Epochs that a fence with MPI_MODE_NOPRECEDE begins, which need not be a meeting. What the owner reads, stores and sends between the fence
 * that ends one epoch and the one that begins the next comes before what others do in that (MPI-3.1 11.5.1: accesses that follow a fence
 * wait for the target's fence), whether the earlier fence has an assert or not. What it does after it does not. */
/* explore: ranks=3 verdict=race-free args=read_between */
/* explore: ranks=3 verdict=race-free args=store_between */
/* explore: ranks=3 verdict=race-free args=send_between */
/* explore: ranks=3 verdict=race-free args=nosucceed_read_between */
/* explore: ranks=3 verdict=found class=rma-conflict args=read_after says=MPI_Put */
/* explore: ranks=3 verdict=found class=rma-conflict args=store_after */
/* explore: ranks=3 verdict=found class=rma-conflict args=nosucceed_read_after */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const char *what;
static int *memory, rank, ranks;

static int has(const char *part) { return strstr(what, part) != NULL; }

static void use_memory(void) {
    int sum;
    if (has("read"))
        printf("%d\n", memory[0]);
    else if (has("store"))
        memory[0] = -1;
    else
        MPI_Sendrecv(&memory[0], 1, MPI_INT, (rank + 1) % ranks, 0, &sum, 1, MPI_INT, (rank + ranks - 1) % ranks, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    MPI_Win window;
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : "read_between";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Win_allocate(2 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memory[0] = 0;
    memory[1] = 10 + rank;
    for (int i = 0; i < 3; i++) {
        MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
        MPI_Put(&memory[1], 1, MPI_INT, (rank + 1) % ranks, 0, 1, MPI_INT, window);
        if (has("after"))
            use_memory();
        MPI_Win_fence(has("nosucceed") ? MPI_MODE_NOSUCCEED : 0, window);
        if (has("between"))
            use_memory();
        memory[1]++;
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
