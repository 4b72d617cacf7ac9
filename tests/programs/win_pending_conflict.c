/* What others do to a window in an epoch must not meet the buffer of an operation of the owner's that is not complete when the epoch
 * ends (MPI-3.1 3.7.2, 11.7): a receive, a send, or what its own access fetches into its window. That others only read what is
 * sent is right, and so is another place. */
/* explore: ranks=2 verdict=found class=rma-conflict args=receive_put says=MPI_Irecv */
/* explore: ranks=2 verdict=found class=rma-conflict args=receive_get says=MPI_Irecv */
/* explore: ranks=2 verdict=race-free args=receive_elsewhere */
/* explore: ranks=2 verdict=found class=rma-conflict args=send_put says=MPI_Isend */
/* explore: ranks=2 verdict=race-free args=send_get */
/* explore: ranks=2 verdict=found class=rma-conflict args=fetch_put */
/* explore: ranks=2 verdict=found class=rma-conflict args=fetch_get */
/* explore: ranks=2 verdict=race-free args=fetch_elsewhere */
/* explore: ranks=2 verdict=race-free args=give_get */
/* explore: ranks=2 verdict=found class=rma-conflict args=give_put */
/* explore: ranks=2 verdict=found class=rma-conflict args=exposed_receive_put says=MPI_Irecv */
/* explore: ranks=2 verdict=race-free args=exposed_receive_elsewhere */
#include <mpi.h>
#include <string.h>

enum { CELL = 2, ELSEWHERE = 5, CELLS = 8 };

static int has(const char *what, const char *part) { return strstr(what, part) != NULL; }

static void access_owner(const char *what, MPI_Win window) {
    static int value = 7;
    int place = has(what, "elsewhere") ? ELSEWHERE : CELL;
    if (has(what, "_get"))
        MPI_Get(&value, 1, MPI_INT, 1, place, 1, MPI_INT, window);
    else
        MPI_Put(&value, 1, MPI_INT, 1, place, 1, MPI_INT, window);
}

static void own(const char *what, int *memory, MPI_Win window, MPI_Request *request) {
    if (has(what, "receive"))
        MPI_Irecv(&memory[CELL], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, request);
    else if (has(what, "send"))
        MPI_Isend(&memory[CELL], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, request);
    else if (has(what, "fetch"))
        MPI_Get(&memory[CELL], 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    else if (has(what, "give"))
        MPI_Put(&memory[CELL], 1, MPI_INT, 0, 0, 1, MPI_INT, window);
}

static void epoch_of_fences(const char *what, int rank, int *memory, MPI_Win window, MPI_Request *request) {
    MPI_Win_fence(0, window);
    if (rank == 0)
        access_owner(what, window);
    else
        own(what, memory, window, request);
    MPI_Win_fence(0, window);
}

static void epoch_of_post(const char *what, int rank, int *memory, MPI_Win window, MPI_Request *request) {
    MPI_Group world, other;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &(int){1 - rank}, &other);
    if (rank == 0) {
        MPI_Win_start(other, 0, window);
        access_owner(what, window);
        MPI_Win_complete(window);
    } else {
        MPI_Win_post(other, 0, window);
        own(what, memory, window, request);
        MPI_Win_wait(window);
    }
    MPI_Group_free(&world);
    MPI_Group_free(&other);
}

int main(int argc, char **argv) {
    int rank, *memory, value = 3;
    MPI_Win window;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Init(&argc, &argv);
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(CELLS * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memset(memory, 0, CELLS * sizeof *memory);
    MPI_Barrier(MPI_COMM_WORLD);
    (has(what, "exposed") ? epoch_of_post : epoch_of_fences)(what, rank, memory, window, &request);
    if (rank == 0 && has(what, "receive"))
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 0 && has(what, "send"))
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
