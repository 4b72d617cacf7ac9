/* Every mistake with locks, one at a time; without any it is right, and so is a store that a barrier separates from the
 * other's put. */
/* explore: ranks=2 verdict=race-free */
/* explore: ranks=2 verdict=race-free args=store-after */
/* explore: ranks=2 verdict=found class=rma-epoch args=unlock-unlocked */
/* explore: ranks=2 verdict=found class=rma-epoch args=lock-twice */
/* explore: ranks=2 verdict=found class=rma-epoch args=other-target */
/* explore: ranks=2 verdict=found class=rma-epoch args=flush-unlocked */
/* explore: ranks=2 verdict=found class=rma-epoch args=sync-unlocked */
/* explore: ranks=2 verdict=found class=rma-epoch args=free-locked */
/* explore: ranks=2 verdict=found class=rma-epoch args=fence-locked */
/* explore: ranks=2 verdict=found class=rma-epoch args=request-unlocked */
/* explore: ranks=2 verdict=found class=invalid-argument args=bounds */
/* explore: ranks=2 verdict=found class=type-mismatch args=type */
/* explore: ranks=2 verdict=found class=rma-conflict args=buffer */
/* explore: ranks=2 verdict=found class=rma-conflict args=store */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int memory[4];
static const char *mistake;

static int is(const char *name) { return !strcmp(mistake, name); }

int main(int argc, char **argv) {
    int rank, given[2] = {5, 6}, got = 0;
    MPI_Win window;
    MPI_Request request;
    mistake = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int other = 1 - rank;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (is("unlock-unlocked"))
        MPI_Win_unlock(other, window);
    if (is("flush-unlocked"))
        MPI_Win_flush(other, window);
    if (is("sync-unlocked"))
        MPI_Win_sync(window);
    if (is("request-unlocked"))
        MPI_Rget(&got, 1, MPI_INT, other, 0, 1, MPI_INT, window, &request);
    MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window);
    if (is("lock-twice"))
        MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window);
    if (is("other-target"))
        MPI_Put(given, 1, MPI_INT, rank, 0, 1, MPI_INT, window);
    if (is("free-locked"))
        MPI_Win_free(&window);
    if (is("fence-locked"))
        MPI_Win_fence(0, window);
    if (is("bounds"))
        MPI_Put(given, 2, MPI_INT, other, 3, 2, MPI_INT, window);
    if (is("type"))
        MPI_Accumulate(given, 1, MPI_INT, other, 0, 1, MPI_FLOAT, MPI_SUM, window);
    MPI_Put(given, 2, MPI_INT, other, 2 * rank, 2, MPI_INT, window);
    if (is("buffer"))
        given[1] = 7;
    MPI_Win_unlock(other, window);
    if (is("store")) /* while the other may be putting there */
        memory[2 * other] = 9;
    MPI_Barrier(MPI_COMM_WORLD);
    if (is("store-after"))
        memory[2 * other] = 9;
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
    printf("%d %d %d %d\n", memory[0], memory[1], memory[2], memory[3]);
    MPI_Win_unlock(rank, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
