/* The owner of a window sends what others change in the same epoch of fences (MPI-3.1 11.7). Whoever changes it without having heard of
 * the owner since the epoch began may do so before it is sent, although here it then travels last. Who has heard of it comes after, what
 * nobody sends may be changed, and what others only read may be sent. */
/* explore: ranks=2 verdict=found class=rma-conflict args=send_put says=MPI_Put */
/* explore: ranks=2 verdict=found class=rma-conflict args=send_accumulate */
/* explore: ranks=2 verdict=found class=rma-conflict args=isend_put says=MPI_Isend */
/* explore: ranks=2 verdict=found class=rma-conflict args=bcast_put says=MPI_Bcast */
/* explore: ranks=2 verdict=found class=rma-conflict args=bsend_put */
/* explore: ranks=2 verdict=race-free args=send_get */
/* explore: ranks=2 verdict=race-free args=send_elsewhere */
/* explore: ranks=2 verdict=race-free args=send_put_heard */
/* explore: ranks=2 verdict=race-free args=bcast_put_heard */
/* explore: ranks=2 verdict=race-free args=send_put_fence */
#include <mpi.h>
#include <string.h>

enum { CELL = 2, ELSEWHERE = 5, CELLS = 8 };

static const char *what;
static MPI_Win window;
static int *memory;

static int has(const char *part) { return strstr(what, part) != NULL; }

static void change(void) {
    static int value = 7;
    if (has("_get"))
        MPI_Get(&value, 1, MPI_INT, 1, CELL, 1, MPI_INT, window);
    else if (has("_accumulate"))
        MPI_Accumulate(&value, 1, MPI_INT, 1, CELL, 1, MPI_INT, MPI_SUM, window);
    else
        MPI_Put(&value, 1, MPI_INT, 1, has("elsewhere") ? ELSEWHERE : CELL, 1, MPI_INT, window);
}

static void hear(void) {
    int heard;
    if (has("bcast"))
        MPI_Bcast(&heard, 1, MPI_INT, 1, MPI_COMM_WORLD);
    else
        MPI_Recv(&heard, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send(void) {
    MPI_Request request;
    if (has("bcast")) {
        MPI_Bcast(&memory[CELL], 1, MPI_INT, 1, MPI_COMM_WORLD);
    } else if (has("isend")) {
        MPI_Isend(&memory[CELL], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (has("bsend")) {
        MPI_Bsend(&memory[CELL], 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        MPI_Send(&memory[CELL], 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv) {
    static char room[256];
    int rank, size = sizeof room;
    void *buffer = room;
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : "";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Buffer_attach(room, size);
    MPI_Win_allocate(CELLS * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memset(memory, 0, CELLS * sizeof *memory);
    MPI_Win_fence(0, window);
    if (rank == 1)
        send();
    if (rank == 0 && (has("heard") || has("fence")))
        hear();
    if (has("fence"))
        MPI_Win_fence(0, window);
    if (rank == 0)
        change();
    if (rank == 0 && !has("heard") && !has("fence"))
        hear();
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Buffer_detach(&buffer, &size);
    MPI_Finalize();
    return 0;
}
