/* The owner of a window reads what another process changes in the same epoch of fences (MPI-3.1 11.7), and says something to that process
 * before the epoch ends. That process made its access before it heard of it, so the access may come before what is read. Read in the
 * epoch before, or elsewhere, or accessed only after it was heard of, all is well. */
/* explore: ranks=2 verdict=found class=rma-conflict args=barrier says=MPI_Put */
/* explore: ranks=2 verdict=found class=rma-conflict args=message */
/* explore: ranks=2 verdict=found class=rma-conflict args=barriers */
/* explore: ranks=2 verdict=race-free args=barrier_elsewhere */
/* explore: ranks=2 verdict=race-free args=message_elsewhere */
/* explore: ranks=2 verdict=race-free args=barrier_heard */
/* explore: ranks=2 verdict=race-free args=message_heard */
/* explore: ranks=2 verdict=race-free args=barrier_before */
/* explore: ranks=2 verdict=race-free args=message_before */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const char *what;
static int memory[4] = {1, 2, 3, 4}, rank;

static int has(const char *part) { return strstr(what, part) != NULL; }

static void look(void) { printf("%d\n", memory[has("elsewhere") ? 2 : 1]); }

/* Process 1 says something to process 0. */
static void tell(void) {
    if (has("barrier"))
        MPI_Barrier(MPI_COMM_WORLD);
    else if (rank == 1)
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    int value = 7;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : "barrier";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    if (has("before")) {
        if (rank == 1)
            look();
        MPI_Win_fence(0, window);
    }
    if (rank == 0 && has("heard"))
        tell();
    if (rank == 0)
        MPI_Put(&value, 1, MPI_INT, 1, 1, 1, MPI_INT, window);
    if (rank == 1 && !has("before"))
        look();
    if (rank == 1 || !has("heard"))
        tell();
    if (has("barriers"))
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
