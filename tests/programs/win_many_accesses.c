/* Thousands of accesses in one epoch, of which one of the last has something to do with one of the first, or with the program (MPI-3.1
 * sections 11.3 and 11.7). Each of two ranks accesses a number in the other's window after the other, from or into a number of an array
 * of its own. `right`: nothing is accessed twice. Wrong:
 *
 *     target    the last access but one is to the place of the third
 *     buffer    ... fetches into the buffer of the third
 *     changed   what the last access but one gives is changed before it is complete
 *     read      what it fetches into is read
 *     put_back  ... is stored to, which leaves it as it is
 *     stored    the owner stores to what it accesses, which leaves it as it is, in the same epoch of fences or of post
 *
 * Accumulates of one operator may be to one place: `target` is right for them. Under a shared lock each of those is a message of its own,
 * and what one costs must not grow with how many there are. */
/* explore: ranks=2 verdict=race-free args=fence+put+right */
/* explore: ranks=2 verdict=race-free args=fence+accumulate+target */
/* explore: ranks=2 verdict=race-free args=fence+fetch+right */
/* explore: ranks=2 verdict=race-free args=post+fetch+right */
/* explore: ranks=2 verdict=race-free args=exclusive+accumulate+target */
/* explore: ranks=2 verdict=race-free args=exclusive+get+right */
/* explore: ranks=2 verdict=race-free args=all+get+right */
/* explore: ranks=2 verdict=race-free args=all+fetch+right */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence+put+target */
/* explore: ranks=2 verdict=found class=rma-conflict args=post+put+target */
/* explore: ranks=2 verdict=found class=rma-conflict args=exclusive+put+target */
/* explore: ranks=2 verdict=found class=rma-conflict args=all+put+target */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence+get+buffer */
/* explore: ranks=2 verdict=found class=rma-conflict args=exclusive+fetch+buffer */
/* explore: ranks=2 verdict=found class=rma-conflict args=all+fetch+buffer */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence+put+changed */
/* explore: ranks=2 verdict=found class=rma-conflict args=all+accumulate+changed */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence+get+read */
/* explore: ranks=2 verdict=found class=rma-conflict args=all+fetch+read */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence+get+put_back */
/* explore: ranks=2 verdict=found class=rma-conflict args=all+get+put_back */
/* explore: ranks=2 verdict=found class=rma-conflict args=fence+accumulate+stored */
/* explore: ranks=2 verdict=found class=rma-conflict args=post+put+stored */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096, MESSAGES = 1024, EARLY = 2 };

static const char *arguments;
static int accesses, late, other, *memory;
static MPI_Win window;
static MPI_Group others;
static int given[MOST], fetched[MOST];

static int asked(const char *word) { return strstr(arguments, word) != NULL; }

static void begin(void) {
    if (asked("fence+"))
        MPI_Win_fence(0, window);
    if (asked("post+")) {
        MPI_Win_post(others, 0, window);
        MPI_Win_start(others, 0, window);
    }
    if (asked("exclusive+"))
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, window);
    if (asked("all+"))
        MPI_Win_lock_all(0, window);
}

static void end(void) {
    if (asked("fence+"))
        MPI_Win_fence(0, window);
    if (asked("post+")) {
        MPI_Win_complete(window);
        MPI_Win_wait(window);
    }
    if (asked("exclusive+"))
        MPI_Win_unlock(other, window);
    if (asked("all+")) {
        MPI_Win_flush(other, window);
        MPI_Win_unlock_all(window);
    }
}

static void access_number(int i) {
    const int place = i == late && asked("target") ? EARLY : i;
    int *into = &fetched[i == late && asked("buffer") ? EARLY : i];
    if (asked("+put+"))
        MPI_Put(&given[i], 1, MPI_INT, other, place, 1, MPI_INT, window);
    if (asked("+accumulate+"))
        MPI_Accumulate(&given[i], 1, MPI_INT, other, place, 1, MPI_INT, MPI_SUM, window);
    if (asked("+get+"))
        MPI_Get(into, 1, MPI_INT, other, place, 1, MPI_INT, window);
    if (asked("+fetch+"))
        MPI_Fetch_and_op(&given[i], into, MPI_INT, other, place, MPI_SUM, window);
}

/* Before the epoch ends. */
static void meddle(void) {
    if (asked("changed"))
        given[late]++;
    if (asked("read"))
        printf("%d\n", fetched[late]);
    volatile int *back = asked("put_back") ? &fetched[late] : asked("stored") ? &memory[late] : NULL;
    if (back != NULL)
        *back = *back;
}

int main(int argc, char **argv) {
    int rank;
    MPI_Group world;
    arguments = argc > 1 ? argv[1] : "fence+put+right";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &other, &others);
    accesses = asked("all+accumulate") || asked("all+fetch") ? MESSAGES : MOST;
    late = accesses - 2;
    MPI_Win_allocate(MOST * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    for (int i = 0; i < MOST; i++) {
        memory[i] = 0;
        given[i] = i;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    begin();
    for (int i = 0; i < accesses; i++)
        access_number(i);
    meddle();
    end();
    MPI_Win_free(&window);
    MPI_Group_free(&world);
    MPI_Group_free(&others);
    MPI_Finalize();
    return 0;
}
