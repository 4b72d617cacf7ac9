/* A hundred accesses in one epoch of fences, each with a buffer of its own, which belongs to the access until the fence (MPI-3.1 section
 * 11.3). Wrong: `freed`, the buffer of one of the puts is freed and another block gets its place; `twice`, one of the gets fetches into
 * the buffer of another. The number says which one: the first, some in between, also where 64 and 65 are told apart, and the last. */
/* explore: ranks=2 verdict=race-free args=right,0 */
/* explore: ranks=2 verdict=found class=rma-conflict args=freed,0 says=freed */
/* explore: ranks=2 verdict=found class=rma-conflict args=freed,63 says=freed */
/* explore: ranks=2 verdict=found class=rma-conflict args=freed,64 says=freed */
/* explore: ranks=2 verdict=found class=rma-conflict args=freed,99 says=freed */
/* explore: ranks=2 verdict=found class=rma-conflict args=twice,1 */
/* explore: ranks=2 verdict=found class=rma-conflict args=twice,63 */
/* explore: ranks=2 verdict=found class=rma-conflict args=twice,64 */
/* explore: ranks=2 verdict=found class=rma-conflict args=twice,99 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFERS = 100, BYTES = 64 };

static MPI_Win window;
static int *buffer[BUFFERS];
static int neighbour;

static void make_buffers(void) {
    for (int i = 0; i < BUFFERS; i++) {
        buffer[i] = malloc(BYTES);
        buffer[i][0] = i;
    }
}

static void free_buffers(void) {
    for (int i = 0; i < BUFFERS; i++)
        free(buffer[i]);
}

/* The new block has the old one's place and content. */
static void replace(int which) {
    const int content = buffer[which][0];
    free(buffer[which]);
    buffer[which] = malloc(BYTES);
    buffer[which][0] = content;
}

static void put_all(int freed) {
    MPI_Win_fence(0, window);
    for (int i = 0; i < BUFFERS; i++)
        MPI_Put(buffer[i], 1, MPI_INT, neighbour, i, 1, MPI_INT, window);
    if (freed >= 0)
        replace(freed);
    MPI_Win_fence(0, window);
}

/* The buffer of one of them is fetched into once more. */
static void get_all(int twice) {
    MPI_Win_fence(0, window);
    for (int i = 0; i < BUFFERS; i++)
        MPI_Get(buffer[i], 1, MPI_INT, neighbour, i, 1, MPI_INT, window);
    if (twice >= 0)
        MPI_Get(buffer[twice], 1, MPI_INT, neighbour, twice - 1, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
}

int main(int argc, char **argv) {
    int rank, *memory;
    MPI_Init(&argc, &argv);
    const char *number = argc > 1 ? strchr(argv[1], ',') : NULL;
    const int which = number ? atoi(number + 1) : 0;
    const int freed = number && strncmp(argv[1], "freed", 5) == 0 ? which : -1;
    const int twice = number && strncmp(argv[1], "twice", 5) == 0 ? which : -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    neighbour = 1 - rank;
    MPI_Win_allocate(BUFFERS * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memset(memory, 0, BUFFERS * sizeof *memory);
    make_buffers();
    put_all(freed);
    get_all(twice);
    free_buffers();
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
