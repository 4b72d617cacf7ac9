/* Rank 0 accesses the window of rank 1 from, or into, memory of its own window, which rank 2 accesses at the same time or not. What an
 * access reads of its buffer nobody may change before it is complete, and what it fetches there nobody may access (MPI-3.1 section
 * 11.7). Rank 0 holds no lock on its own window, or holds one.
 *
 *   first word: rank 0's access: put, get, rput, rget
 *   second:     when rank 2's is: any (nothing orders them), told (after a message that rank 0 sends in its epoch), waited (the same,
 *               after the request has been waited for), done (after one that it sends when its epoch is over)
 *   third:      rank 2's access, under an exclusive lock: put, get, beside (a put, elsewhere), shared (a put under a shared lock)
 *   fourth:     locked: rank 0 has locked its own window, in an epoch around the other; all: it has locked all, which ends at once */
/* explore: ranks=3 verdict=found class=rma-conflict args=put+any+put */
/* explore: ranks=3 verdict=found class=rma-conflict args=put+any+shared */
/* explore: ranks=3 verdict=found class=rma-conflict args=put+told+put */
/* explore: ranks=3 verdict=found class=rma-conflict args=put+told+shared */
/* explore: ranks=3 verdict=race-free args=put+told+get */
/* explore: ranks=3 verdict=race-free args=put+told+beside */
/* explore: ranks=3 verdict=race-free args=put+done+put */
/* explore: ranks=3 verdict=race-free args=put+any+put+locked */
/* explore: ranks=3 verdict=race-free args=put+any+put+all */
/* explore: ranks=3 verdict=found class=rma-conflict args=put+any+shared+all */
/* explore: ranks=3 verdict=found class=rma-conflict args=get+any+put */
/* explore: ranks=3 verdict=found class=rma-conflict args=get+any+get */
/* explore: ranks=3 verdict=found class=rma-conflict args=get+told+get */
/* explore: ranks=3 verdict=race-free args=get+told+beside */
/* explore: ranks=3 verdict=race-free args=get+done+get */
/* explore: ranks=3 verdict=race-free args=get+any+get+locked */
/* explore: ranks=3 verdict=race-free args=get+any+get+all */
/* explore: ranks=3 verdict=found class=rma-conflict args=rput+told+put */
/* explore: ranks=3 verdict=race-free args=rput+waited+put */
/* explore: ranks=3 verdict=found class=rma-conflict args=rget+told+get */
/* explore: ranks=3 verdict=race-free args=rget+waited+get */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static char word[4][16]; /* missing ones are empty */
static int *memory;
static MPI_Win window;

static int is(int i, const char *name) { return strcmp(word[i], name) == 0; }

static void access_other(MPI_Request *request) {
    if (is(0, "put"))
        MPI_Put(memory, 2, MPI_INT, 1, 4, 2, MPI_INT, window);
    else if (is(0, "get"))
        MPI_Get(memory, 2, MPI_INT, 1, 4, 2, MPI_INT, window);
    else if (is(0, "rput"))
        MPI_Rput(memory, 2, MPI_INT, 1, 4, 2, MPI_INT, window, request);
    else
        MPI_Rget(memory, 2, MPI_INT, 1, 4, 2, MPI_INT, window, request);
}

static void tell(void) { MPI_Send(NULL, 0, MPI_INT, 2, 0, MPI_COMM_WORLD); }

static void use_own_memory(void) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (is(3, "locked"))
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    if (is(3, "all"))
        MPI_Win_lock_all(0, window);
    else
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    access_other(&request);
    if (is(1, "told"))
        tell();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (is(1, "waited"))
        tell();
    if (is(3, "all"))
        MPI_Win_unlock_all(window);
    else
        MPI_Win_unlock(1, window);
    if (is(3, "locked"))
        MPI_Win_unlock(0, window);
    if (is(1, "done"))
        tell();
}

static void access_memory(void) {
    static int numbers[2] = {7, 8};
    if (!is(1, "any"))
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_lock(is(2, "shared") ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, window);
    if (is(2, "get"))
        MPI_Get(numbers, 2, MPI_INT, 0, 1, 2, MPI_INT, window);
    else
        MPI_Put(numbers, 2, MPI_INT, 0, is(2, "beside") ? 2 : 1, 2, MPI_INT, window);
    MPI_Win_unlock(0, window);
}

int main(int argc, char **argv) {
    int rank;
    if (argc > 1)
        sscanf(argv[1], "%15[a-z]+%15[a-z]+%15[a-z]+%15[a-z]", word[0], word[1], word[2], word[3]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    for (int i = 0; i < 8; i++)
        memory[i] = i;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        use_own_memory();
    else if (rank == 2)
        access_memory();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
