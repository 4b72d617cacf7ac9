/* What was put under a lock before a barrier is complete behind it, and its owner may load and store there, however many barriers
 * follow: phases between barriers have numbers that come again (window_told.h), and an owner that does not touch its window hears of
 * what others put there late. Without a barrier, store and put are at the same time. */
/* explore: ranks=2 verdict=found class=rma-conflict args=load,0 */
/* explore: ranks=2 verdict=found class=rma-conflict args=store_back,0 */
/* explore: ranks=2 verdict=race-free args=load,1 */
/* explore: ranks=2 verdict=race-free args=store,3 */
/* explore: ranks=2 verdict=race-free args=load,4 */
/* explore: ranks=2 verdict=race-free args=store,4 */
/* explore: ranks=2 verdict=race-free args=store_back,4 */
/* explore: ranks=2 verdict=race-free args=store,5 */
/* explore: ranks=2 verdict=race-free args=store_back,16 */
/* explore: ranks=2 verdict=race-free args=lock_load,4 */
/* explore: ranks=2 verdict=race-free args=lock_store,32 */
/* explore: ranks=2 verdict=race-free args=load,16 */
/* explore: ranks=2 verdict=race-free args=store,17 */
/* explore: ranks=2 verdict=race-free args=load,31 */
/* explore: ranks=2 verdict=race-free args=load,32 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, loaded;
static MPI_Win window;
static int memory[4];

static void put(void) {
    static const int value = 7;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Put(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
}

static void use(const char *what) {
    volatile int *cell = &memory[1];
    if (strstr(what, "load"))
        loaded = *cell;
    else if (strstr(what, "back"))
        *cell = *cell * 1;
    else
        *cell = 8;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const int barriers = atoi(strchr(argv[1], ',') + 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        put();
    } else if (strstr(argv[1], "lock")) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        MPI_Win_unlock(0, window);
    }
    for (int i = 0; i < barriers; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        use(argv[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && barriers > 0)
        printf("%d\n", loaded);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
