/* Under shared locks another process puts into a place of the owner's window, and has not completed that while the owner loads it,
 * sends it or receives into it (MPI-3.1 11.7), in at least one ordering; what the program prints is the same in all. Another place,
 * one that is only read, or a flush and a message before the owner's use: all is well. An accumulate may be looked at while it is in
 * progress, as programs wait for flags so, but not be sent. */
/* explore: ranks=2 verdict=found class=rma-conflict args=put_load says=MPI_Put */
/* explore: ranks=2 verdict=found class=rma-conflict args=put_send */
/* explore: ranks=2 verdict=found class=rma-conflict args=put_bcast */
/* explore: ranks=2 verdict=found class=rma-conflict args=put_receive says=MPI_Put */
/* explore: ranks=2 verdict=found class=rma-conflict args=accumulate_send */
/* explore: ranks=2 verdict=found class=rma-conflict args=put_load_unflushed_message */
/* explore: ranks=2 verdict=found class=rma-conflict args=put_send_unflushed_message */
/* explore: ranks=2 verdict=found class=rma-conflict args=put_load_flushed_here_message */
/* explore: ranks=3 verdict=found class=rma-conflict args=put_load_flushed_message_other */
/* explore: ranks=2 verdict=race-free args=accumulate_load */
/* explore: ranks=2 verdict=race-free args=get_load */
/* explore: ranks=2 verdict=race-free args=get_send */
/* explore: ranks=2 verdict=race-free args=put_elsewhere_load */
/* explore: ranks=2 verdict=race-free args=put_elsewhere_send */
/* explore: ranks=2 verdict=race-free args=put_elsewhere_receive */
/* explore: ranks=2 verdict=race-free args=put_load_flushed_message */
/* explore: ranks=2 verdict=race-free args=put_send_flushed_message */
/* explore: ranks=2 verdict=race-free args=put_receive_flushed_message */
/* explore: ranks=3 verdict=race-free args=put_elsewhere_load_flushed_message_other */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { CELL = 1, ELSEWHERE = 2, CELLS = 4, DATA = 1, TOKEN };

static const char *what;
static MPI_Win window;
static int *memory, rank, odd;

static int has(const char *part) { return strstr(what, part) != NULL; }

static void origin(void) {
    int value = 7, cell = has("elsewhere") ? ELSEWHERE : CELL;
    if (has("get"))
        MPI_Get(&value, 1, MPI_INT, 1, cell, 1, MPI_INT, window);
    else if (has("accumulate"))
        MPI_Accumulate(&value, 1, MPI_INT, 1, cell, 1, MPI_INT, MPI_SUM, window);
    else
        MPI_Put(&value, 1, MPI_INT, 1, cell, 1, MPI_INT, window);
    if (has("flushed_here"))
        MPI_Win_flush_local(1, window);
    else if (has("_flushed"))
        MPI_Win_flush(1, window);
    if (has("message"))
        MPI_Send(NULL, 0, MPI_INT, 1, TOKEN, MPI_COMM_WORLD);
}

/* It has another process's word for nothing. */
static void other(void) {
    int value = 5;
    MPI_Put(&value, 1, MPI_INT, 1, has("elsewhere") ? ELSEWHERE + 1 : CELL, 1, MPI_INT, window);
    MPI_Win_flush(1, window);
}

static void owner(void) {
    int value = 3;
    if (has("message"))
        MPI_Recv(NULL, 0, MPI_INT, 0, TOKEN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (has("load"))
        odd += memory[CELL] % 2;
    else if (has("send"))
        MPI_Send(&memory[CELL], 1, MPI_INT, 0, DATA, MPI_COMM_WORLD);
    else if (has("receive"))
        MPI_Sendrecv(&value, 1, MPI_INT, 1, DATA, &memory[CELL], 1, MPI_INT, 1, DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void broadcast(void) {
    int received;
    MPI_Bcast(rank == 1 ? &memory[CELL] : &received, 1, MPI_INT, 1, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    int received;
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : "get_load";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(CELLS * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memset(memory, 0, CELLS * sizeof *memory);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    if (rank == 0)
        origin();
    else if (rank == 1)
        owner();
    else
        other();
    if (has("bcast"))
        broadcast();
    if (rank == 0 && has("send"))
        MPI_Recv(&received, 1, MPI_INT, 1, DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
