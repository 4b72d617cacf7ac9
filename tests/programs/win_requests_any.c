/* Each rank has an access of its own, with a request, in progress with each other one under shared locks, and waits for them one way or
 * another (MPI-3.1 section 11.3.5). All are to places of their own, so it makes no difference to anybody in which order the targets
 * serve them: what can be told apart is in which order a rank is told of its own requests, not more. A rank that waits for any of its
 * requests waits for all of them before it unlocks the windows and comes to the barrier, behind which their owners look at them.
 *
 * Three ranks with two requests each: 2 orders for each rank by MPI_Waitany, 3 by MPI_Waitsome (one, the other, or both), so 8 and 27 in
 * all, and some states for each rank and each order.
 *
 *     early     wrong: rank 0 reads what it fetches into when it has been told of one of its requests, which may be another one's */
/* explore: ranks=3 verdict=race-free proof=state-graph states=100 args=all */
/* explore: ranks=3 verdict=race-free proof=state-graph states=200 args=any */
/* explore: ranks=3 verdict=race-free proof=state-graph states=400 args=some */
/* explore: ranks=3 verdict=race-free proof=state-graph states=200 args=test */
/* explore: ranks=3 verdict=found class=buffer-in-use args=any,early mpiexec=no */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 8 };

static int told, fetched[MOST];
static MPI_Request request[MOST];

static void wait_for(const char *how, int requests, int reads_early) {
    int which[MOST], flag = 0;
    if (strcmp(how, "all") == 0)
        MPI_Waitall(requests, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < requests && strncmp(how, "any", 3) == 0; i++) {
        MPI_Waitany(requests, request, which, MPI_STATUS_IGNORE);
        told = told || (reads_early && fetched[0] > 0);
    }
    for (int done = 0, more; done < requests && strcmp(how, "some") == 0; done += more)
        MPI_Waitsome(requests, request, &more, which, MPI_STATUSES_IGNORE);
    while (!flag && strcmp(how, "test") == 0)
        MPI_Testall(requests, request, &flag, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv) {
    static const int one = 1;
    const char *how = argc > 1 ? argv[1] : "any";
    int rank, ranks, *memory;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Win_allocate(MOST * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memset(memory, 0, MOST * sizeof *memory);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    for (int i = 0; i < ranks - 1; i++)
        MPI_Rget_accumulate(&one, 1, MPI_INT, &fetched[i], 1, MPI_INT, (rank + 1 + i) % ranks, rank, 1, MPI_INT, MPI_SUM,
                            window, &request[i]);
    wait_for(how, ranks - 1, rank == 0 && strstr(how, "early") != NULL);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%d: %d %d %d, %d\n", rank, memory[0], memory[1], memory[2], told);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
