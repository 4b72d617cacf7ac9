/* Everybody gets a number from everybody, twice: what only reads a window commutes with all else that does, so the graph has the sum of
 * what each rank does, some hundred states on four ranks, and not the product, half a million. In "then" everybody changes
 * its right neighbour's number after a barrier. In "during" rank 1 does so while others read it, and in "across" after the barrier, but
 * a get of rank 0 is completed after it, too. */
/* explore: ranks=4 verdict=race-free states=400 args=twice */
/* explore: ranks=4 verdict=race-free states=1000 args=then */
/* explore: ranks=3 verdict=found class=rma-conflict args=during */
/* explore: ranks=3 verdict=found class=rma-conflict args=across */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 64 }; /* bytes */

static int rank, size;
static MPI_Win window;

static int sum_of_all(void) {
    int sum = 0;
    for (int target = 0; target < size; target++) {
        int got;
        MPI_Get(&got, 1, MPI_INT, target, 0, 1, MPI_INT, window);
        MPI_Win_flush(target, window);
        sum += got;
    }
    return sum;
}

static void change(int target) {
    int number = 10 * rank;
    MPI_Put(&number, 1, MPI_INT, target, 0, 1, MPI_INT, window);
    MPI_Win_flush(target, window);
}

static int get_across_barrier(void) {
    int got = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0)
        MPI_Rget(&got, 1, MPI_INT, 2, 0, 1, MPI_INT, window, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        change(2);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return got;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "twice";
    int *number, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(ROOM, sizeof *number, MPI_INFO_NULL, MPI_COMM_WORLD, &number, &window);
    *number = rank;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    if (strcmp(what, "during") == 0 && rank == 1)
        change(2);
    sum = strcmp(what, "across") == 0 ? get_across_barrier() : sum_of_all();
    if (strcmp(what, "twice") == 0)
        sum += sum_of_all();
    if (strcmp(what, "then") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        change((rank + 1) % size);
    }
    MPI_Win_unlock_all(window);
    printf("rank %d: %d\n", rank, sum);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
