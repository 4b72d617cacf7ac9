/* Each rank puts a number into the windows of both its neighbours, in an epoch of MPI_Win_lock_all that lasts, and then loads what it has
 * got: the usual way to exchange borders. Barriers order all of it, so one order is enough: three rounds of two puts, a flush and a load on
 * so many ranks are some 20 states a rank. If what an owner asks about others' puts of a round that it has not come to yet made a
 * difference, as it may come before or after them, there would be thousands. */
/* explore: ranks=4 verdict=race-free args=barriers states=200 */
/* explore: ranks=4 verdict=race-free args=barriers,sync states=200 */
/* explore: ranks=12 verdict=race-free args=barriers,sync states=600 checkpoint=pages */
/* explore: ranks=4 verdict=race-free args=barriers,sync,large states=200 checkpoint=pages */
/* explore: ranks=3 verdict=race-free args=words,sync */
/* Without a barrier before the load the neighbours may still be putting; without one after it, already again. */
/* explore: ranks=3 verdict=found class=rma-conflict args=before */
/* explore: ranks=3 verdict=found class=rma-conflict args=before,sync */
/* explore: ranks=3 verdict=found class=rma-conflict args=after */
/* explore: ranks=3 verdict=found class=rma-conflict args=after,sync */
/* A barrier does not complete a put: it may come while its target loads. */
/* explore: ranks=3 verdict=found class=rma-conflict args=barriers,unflushed */
/* explore: ranks=3 verdict=found class=rma-conflict args=barriers,unflushed,sync */
/* Of the words of neighbours one alone says nothing of the other's put. */
/* explore: ranks=3 verdict=found class=rma-conflict args=word,sync */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 3, ROOM = 16, LARGE_ROOM = 1 << 16 }; /* MPICH 4.0.2 finds windows of fewer than 16 bytes at a wrong place */

static const char *what = "barriers";
static int rank, size;

static int is(const char *word) { return strstr(what, word) != NULL; }

/* They hear from this rank, and it from so many of them first. The sends are over when all have heard. */
static void hear(int first, const int *neighbour, MPI_Request send[2]) {
    for (int i = 0; i < 2; i++)
        MPI_Isend(NULL, 0, MPI_INT, neighbour[i], 0, MPI_COMM_WORLD, &send[i]);
    for (int i = 0; i < first; i++)
        MPI_Recv(NULL, 0, MPI_INT, neighbour[i], 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void hear_rest(int first, const int *neighbour, MPI_Request send[2]) {
    for (int i = first; i < 2; i++)
        MPI_Recv(NULL, 0, MPI_INT, neighbour[i], 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2; i++)
        MPI_Wait(&send[i], MPI_STATUS_IGNORE);
}

static void put(int number, const int *neighbour, MPI_Win window) {
    for (int i = 0; i < 2; i++)
        MPI_Put(&number, 1, MPI_INT, neighbour[i], i, 1, MPI_INT, window);
    if (is("unflushed"))
        MPI_Win_flush_local_all(window);
    else
        MPI_Win_flush_all(window);
}

static int load(const int *memory, MPI_Win window) {
    if (is("sync"))
        MPI_Win_sync(window);
    return memory[0] + memory[1];
}

static int load_between_words(const int *neighbour, const int *memory, MPI_Win window) {
    MPI_Request send[2];
    const int first = is("words") ? 2 : 1;
    hear(first, neighbour, send);
    const int sum = load(memory, window);
    hear_rest(first, neighbour, send);
    hear(2, neighbour, send);
    hear_rest(2, neighbour, send);
    return sum;
}

static int load_between_barriers(const int *memory, MPI_Win window) {
    if (!is("before"))
        MPI_Barrier(MPI_COMM_WORLD);
    const int sum = load(memory, window);
    if (!is("after"))
        MPI_Barrier(MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : what;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *memory, sum = 0;
    MPI_Win window;
    MPI_Win_allocate((MPI_Aint)((is("large") ? LARGE_ROOM : ROOM) * sizeof *memory), sizeof *memory, MPI_INFO_NULL,
                     MPI_COMM_WORLD, &memory, &window);
    memory[0] = memory[1] = 0;
    const int neighbour[] = {(rank + 1) % size, (rank + size - 1) % size};
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    for (int round = 0; round < ROUNDS; round++) {
        put(rank + round, neighbour, window);
        sum += is("word") ? load_between_words(neighbour, memory, window) : load_between_barriers(memory, window);
    }
    MPI_Win_unlock_all(window);
    printf("%d\n", sum);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
