/* Each rank does the same with the window of rank 0, under the lock of MPI_Win_lock_all: adds one to a counter that a lock guards which
 * is taken by compare-and-swap; or draws numbers by fetch-and-add until there are no more, and adds their squares up. The counter and
 * the sum do not depend on who comes when. Who was last, or has drawn the last number, does. */
/* explore: ranks=4 verdict=race-free args=lock */
/* explore: ranks=3 verdict=race-free args=draw */
/* explore: ranks=3 verdict=found class=race-output args=lock-last */
/* explore: ranks=3 verdict=found class=race-output args=draw-last */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { NUMBERS = 5 };
enum { LOCK, COUNTER, LAST, WORDS };

static int read_word(int word, MPI_Win window) {
    int value;
    MPI_Get(&value, 1, MPI_INT, 0, word, 1, MPI_INT, window);
    MPI_Win_flush(0, window);
    return value;
}

static void write_word(int word, int value, MPI_Win window) {
    MPI_Put(&value, 1, MPI_INT, 0, word, 1, MPI_INT, window);
    MPI_Win_flush(0, window);
}

static void take_lock(MPI_Win window) {
    const int open = 0, taken = 1;
    int was;
    do {
        MPI_Compare_and_swap(&taken, &open, &was, MPI_INT, 0, LOCK, window);
        MPI_Win_flush(0, window);
    } while (was == taken);
}

static void give_lock(MPI_Win window) {
    const int open = 0;
    MPI_Accumulate(&open, 1, MPI_INT, 0, LOCK, 1, MPI_INT, MPI_REPLACE, window);
    MPI_Win_flush(0, window);
}

static void count(int rank, MPI_Win window) {
    take_lock(window);
    write_word(COUNTER, read_word(COUNTER, window) + 1, window);
    write_word(LAST, rank, window);
    give_lock(window);
}

/* The sum of the squares; *last: was the last number among them? */
static int draw(MPI_Win window, int *last) {
    const int one = 1;
    int sum = 0, number;
    for (*last = 0;; sum += number * number) {
        MPI_Fetch_and_op(&one, &number, MPI_INT, 0, COUNTER, MPI_SUM, window);
        MPI_Win_flush(0, window);
        if (number >= NUMBERS)
            return sum;
        *last |= number == NUMBERS - 1;
    }
}

int main(int argc, char **argv) {
    int rank, *word, last = 0, sum = 0;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(WORDS * sizeof *word, sizeof *word, MPI_INFO_NULL, MPI_COMM_WORLD, &word, &window);
    memset(word, 0, WORDS * sizeof *word);
    MPI_Win_lock_all(0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strncmp(argv[1], "lock", 4) == 0)
        count(rank, window);
    else
        sum = draw(window, &last);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d %d\n", read_word(COUNTER, window), sum);
    if (strcmp(argv[1], "lock-last") == 0 && rank == 0)
        printf("rank %d was last\n", read_word(LAST, window));
    if (strcmp(argv[1], "draw-last") == 0 && last)
        puts("mine is the last number");
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
}
