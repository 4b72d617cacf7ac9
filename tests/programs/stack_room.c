/* As static_room.c for local variables: what a call sends or brings goes on behind the frame of the function whose variable its buffer is,
 * over the address that the function returns to. `…_right`: the same with the count that fits; an array may be one of a caller's
 * (caller_right), of variable length, or from alloca. In varying_right the array grows as much as its caller's memory becomes less: the
 * second frame begins where the first one did, and where that one ended still says what it returned to. */
/* explore: ranks=2 verdict=found class=invalid-argument args=send says=stack */
/* explore: ranks=2 verdict=race-free args=send_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=receive says=stack */
/* explore: ranks=2 verdict=race-free args=receive_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=bcast says=stack */
/* explore: ranks=2 verdict=race-free args=bcast_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=caller says=stack */
/* explore: ranks=2 verdict=race-free args=caller_right */
/* explore: ranks=2 verdict=race-free args=main_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=length says=stack */
/* explore: ranks=2 verdict=race-free args=length_right */
/* explore: ranks=2 verdict=race-free args=alloca_right */
/* explore: ranks=2 verdict=race-free args=varying_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=aligned says=stack */
/* explore: ranks=2 verdict=race-free args=aligned_right */
/* explore: ranks=2 verdict=found class=invalid-argument args=handler says=stack */
/* explore: ranks=2 verdict=race-free args=handler_right */
#include <alloca.h>
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

enum { NUMBERS = 40, TOO_MANY = NUMBERS + 600 };

static int rank, room[TOO_MANY];
static bool right;

static int count(void) { return right ? NUMBERS : TOO_MANY; }

__attribute__((noinline)) static void transfer(int *from, int numbers) {
    if (rank == 0)
        MPI_Send(from, numbers, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(room, TOO_MANY, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

__attribute__((noinline)) static void send_local(void) {
    int local[NUMBERS] = {0};
    transfer(local, count());
    MPI_Barrier(MPI_COMM_WORLD);
}

__attribute__((noinline)) static void receive_local(void) {
    int local[NUMBERS] = {0};
    if (rank == 0)
        MPI_Send(room, count(), MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(local, TOO_MANY, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

__attribute__((noinline)) static void broadcast_local(void) {
    int local[NUMBERS] = {0};
    MPI_Bcast(rank == 0 ? local : room, count(), MPI_INT, 0, MPI_COMM_WORLD);
}

__attribute__((noinline)) static void send_of_length(int numbers) {
    int local[numbers];
    memset(local, 0, sizeof local);
    transfer(local, count());
    MPI_Barrier(MPI_COMM_WORLD);
}

__attribute__((noinline)) static void send_allocated(int numbers) {
    int *local = alloca((size_t)numbers * sizeof *local);
    memset(local, 0, (size_t)numbers * sizeof *local);
    transfer(local, numbers);
    MPI_Barrier(MPI_COMM_WORLD);
}

__attribute__((noinline)) static void receive_of_length(int numbers) {
    int local[numbers];
    if (rank == 0)
        MPI_Send(room, numbers, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(local, numbers, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

__attribute__((noinline)) static void receive_beside(int more, int numbers) {
    volatile int *beside = alloca((size_t)more * sizeof *beside);
    beside[0] = 1;
    receive_of_length(numbers);
    beside[0] = 2;
}

/* Such a frame does not begin where its caller's ends. */
__attribute__((noinline)) static void send_aligned(void) {
    _Alignas(256) int local[NUMBERS] = {0};
    transfer(local, count());
    MPI_Barrier(MPI_COMM_WORLD);
}

static void handler(int number) {
    (void)number;
    send_local();
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *what = argc > 1 ? argv[1] : "";
    int mine[NUMBERS] = {0};
    right = strstr(what, "right") != NULL;
    if (strncmp(what, "send", 4) == 0)
        send_local();
    else if (strncmp(what, "receive", 7) == 0)
        receive_local();
    else if (strncmp(what, "bcast", 5) == 0)
        broadcast_local();
    else if (strncmp(what, "caller", 6) == 0)
        transfer(mine, right ? NUMBERS : 100000);
    else if (strncmp(what, "length", 6) == 0)
        send_of_length(NUMBERS);
    else if (strncmp(what, "alloca", 6) == 0)
        send_allocated(TOO_MANY);
    else if (strncmp(what, "varying", 7) == 0) {
        receive_beside(NUMBERS + 4, NUMBERS);
        receive_beside(4, NUMBERS + NUMBERS);
    } else if (strncmp(what, "aligned", 7) == 0)
        send_aligned();
    else if (strncmp(what, "handler", 7) == 0) {
        signal(SIGUSR1, handler);
        raise(SIGUSR1);
    } else {
        MPI_Allreduce(MPI_IN_PLACE, mine, NUMBERS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
