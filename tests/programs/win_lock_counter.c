/* Every rank increments a counter in rank 0's window: read, add, write under an exclusive lock, or by MPI_Fetch_and_op,
 * or by a loop of MPI_Compare_and_swap, or by MPI_Rget and MPI_Rput. The sum is the same in every order; the ticket that
 * each rank draws is not. Under a shared lock reading and writing are in conflict with the others'. */
/* explore: ranks=3 verdict=race-free args=exclusive */
/* explore: ranks=3 verdict=race-free args=fetch */
/* explore: ranks=3 verdict=undecided args=fetch proof=decomposition says=locks */
/* explore: ranks=3 verdict=race-free args=swap */
/* explore: ranks=3 verdict=race-free args=requests */
/* explore: ranks=3 verdict=found class=race-output args=exclusive-ticket */
/* explore: ranks=3 verdict=found class=race-output args=fetch-ticket */
/* explore: ranks=3 verdict=found class=rma-conflict args=shared */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int counter;

static int read_and_write(int type, MPI_Win window) {
    int old;
    MPI_Win_lock(type, 0, 0, window);
    MPI_Get(&old, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_flush(0, window);
    int next = old + 1;
    MPI_Put(&next, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
    return old;
}

static int read_and_write_with_requests(MPI_Win window) {
    int old;
    MPI_Request request;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Rget(&old, 1, MPI_INT, 0, 0, 1, MPI_INT, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    int next = old + 1;
    MPI_Win_flush(0, window);
    MPI_Rput(&next, 1, MPI_INT, 0, 0, 1, MPI_INT, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    next = -1; /* the buffer is ours again */
    MPI_Win_unlock(0, window);
    return old;
}

static int fetch_and_add(MPI_Win window) {
    int one = 1, old;
    MPI_Win_lock_all(0, window);
    MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 0, MPI_SUM, window);
    MPI_Win_unlock_all(window);
    return old;
}

static int swap_until_it_works(MPI_Win window) {
    int seen = 0, old;
    MPI_Win_lock_all(0, window);
    for (;;) {
        int next = seen + 1;
        MPI_Compare_and_swap(&next, &seen, &old, MPI_INT, 0, 0, window);
        MPI_Win_flush(0, window);
        if (old == seen)
            break;
        seen = old;
    }
    MPI_Win_unlock_all(window);
    return old;
}

int main(int argc, char **argv) {
    int rank, ticket;
    MPI_Win window;
    const char *way = argc > 1 ? argv[1] : "exclusive";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&counter, rank == 0 ? sizeof counter : 0, sizeof counter, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (!strncmp(way, "exclusive", 9))
        ticket = read_and_write(MPI_LOCK_EXCLUSIVE, window);
    else if (!strncmp(way, "shared", 6))
        ticket = read_and_write(MPI_LOCK_SHARED, window);
    else if (!strncmp(way, "fetch", 5))
        ticket = fetch_and_add(window);
    else if (!strcmp(way, "swap"))
        ticket = swap_until_it_works(window);
    else
        ticket = read_and_write_with_requests(window);
    if (strstr(way, "ticket"))
        printf("rank %d drew %d\n", rank, ticket);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        printf("counter %d\n", counter);
        MPI_Win_unlock(0, window);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
