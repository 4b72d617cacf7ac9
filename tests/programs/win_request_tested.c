/* The request of an access to a window may be incomplete for as long as the program only tests it, as that of a message may:
 * rank 0 tests it once. Arguments:
 *
 *     put, accumulate, get    prints what MPI_Test says: 0 or 1
 *     any                     prints which of two requests MPI_Waitany reports: 0 or 1
 *     nobody                  right: an access to MPI_PROC_NULL is complete at once
 *     again                   right: tests the request of a put until it is complete
 *     flush                   right: waits after MPI_Win_flush, which makes the buffer free again
 *     other_flushed           wrong: what is flushed is an access to another rank, the request of which has been reported */
/* explore: ranks=2 verdict=found class=race-output args=put */
/* explore: ranks=2 verdict=found class=race-output args=accumulate */
/* explore: ranks=2 verdict=found class=race-output args=get */
/* explore: ranks=2 verdict=found class=race-output args=any */
/* explore: ranks=2 verdict=race-free args=nobody */
/* explore: ranks=2 verdict=race-free args=again */
/* explore: ranks=2 verdict=race-free args=flush */
/* explore: ranks=3 verdict=found class=buffer-in-use args=other_flushed */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int given[2] = {1, 2}, fetched;
static MPI_Win window;
static MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};

static void begin_access(const char *way) {
    const int target = strcmp(way, "nobody") == 0 ? MPI_PROC_NULL : 1;
    if (strcmp(way, "accumulate") == 0)
        MPI_Raccumulate(&given[0], 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, window, &request[0]);
    else if (strcmp(way, "get") == 0)
        MPI_Rget(&fetched, 1, MPI_INT, target, 0, 1, MPI_INT, window, &request[0]);
    else
        MPI_Rput(&given[0], 1, MPI_INT, target, 0, 1, MPI_INT, window, &request[0]);
}

static void access_window(const char *way) {
    int flag = 0, index;
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    begin_access(way);
    if (strcmp(way, "any") == 0) {
        MPI_Rput(&given[1], 1, MPI_INT, 1, 1, 1, MPI_INT, window, &request[1]);
        MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE);
        printf("%d\n", index);
    } else if (strcmp(way, "flush") == 0) {
        MPI_Win_flush(1, window);
        given[0] = 3;
    } else if (strcmp(way, "again") == 0) {
        while (!flag)
            MPI_Test(&request[0], &flag, MPI_STATUS_IGNORE);
        given[0] = 3;
    } else {
        MPI_Test(&request[0], &flag, MPI_STATUS_IGNORE);
        printf("%d\n", flag);
    }
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    MPI_Win_unlock(1, window);
}

/* The second request has the number that the first one had. */
static void put_to_both(void) {
    MPI_Win_lock_all(0, window);
    for (int i = 0; i < 2; i++) {
        MPI_Rput(&given[i], 1, MPI_INT, 1 + i, 0, 1, MPI_INT, window, &request[0]);
        if (i == 0)
            MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    }
    MPI_Win_flush(1, window);
    given[1] = 3;
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(window);
}

int main(int argc, char **argv) {
    int rank, *memory;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(2 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memory[0] = memory[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && argc > 1 && strcmp(argv[1], "other_flushed") == 0)
        put_to_both();
    else if (rank == 0)
        access_window(argc > 1 ? argv[1] : "put");
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
