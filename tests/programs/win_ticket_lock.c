/* A ticket lock on memory of rank 0, by MPI_Fetch_and_op: each rank draws a ticket, waits until that is served, adds to a number by getting
 * and putting it, and has the next one served. The number is the same in every order: race-free.
 *
 * Rank 0 has initialised its window, and is told what others change in it only where it looks: when all are done. What it might have seen
 * before would multiply the states, by eight on four ranks. With "exclusive" it holds exclusive locks when it initialises and looks, so
 * that all locks are asked for.
 *
 * With "counts" each rank counts how often it has asked whether its ticket is served, and with "draws" it draws a random number each time: so
 * it never comes back to a state, and explore says so. */
/* explore: ranks=4 verdict=race-free states=8000 */
/* explore: ranks=3 verdict=race-free states=1200 args=exclusive */
/* explore: ranks=2 verdict=undecided states=1500 says=rounds args=counts checkpoint=pages */
/* explore: ranks=2 verdict=undecided states=1500 says=libraries args=draws checkpoint=pages */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NEXT, SERVED, NUMBER, WORDS };

static MPI_Win window;
static const char *what = "";
static long rounds;

static int is(const char *name) { return strcmp(what, name) == 0; }

static int fetch_and_add(int add, int at) {
    int before;
    MPI_Fetch_and_op(&add, &before, MPI_INT, 0, at, add == 0 ? MPI_NO_OP : MPI_SUM, window);
    MPI_Win_flush(0, window);
    return before;
}

static void add(int what) {
    int number;
    MPI_Get(&number, 1, MPI_INT, 0, NUMBER, 1, MPI_INT, window);
    MPI_Win_flush(0, window);
    number += what;
    MPI_Put(&number, 1, MPI_INT, 0, NUMBER, 1, MPI_INT, window);
    MPI_Win_flush(0, window);
}

/* So deep in the stack that nothing of it is left where other calls are. */
__attribute__((noinline)) static void draw(void) {
    volatile char room[1 << 16] = {0};
    if (room[0] == 0)
        (void)rand();
}

static void begin_own(void) {
    if (is("exclusive"))
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
}

static void end_own(void) {
    if (is("exclusive"))
        MPI_Win_unlock(0, window);
}

int main(int argc, char **argv) {
    int rank, *word;
    MPI_Init(&argc, &argv);
    if (argc > 1)
        what = argv[1];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(rank == 0 ? WORDS * sizeof *word : 0, sizeof *word, MPI_INFO_NULL, MPI_COMM_WORLD, &word, &window);
    if (rank == 0) {
        begin_own();
        word[NEXT] = word[SERVED] = word[NUMBER] = 0;
        end_own();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    const int ticket = fetch_and_add(1, NEXT);
    while (fetch_and_add(0, SERVED) != ticket) {
        rounds += is("counts");
        if (is("draws"))
            draw();
    }
    add(rank + 1);
    fetch_and_add(1, SERVED);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        begin_own();
        printf("%d\n", word[NUMBER]);
        end_own();
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
