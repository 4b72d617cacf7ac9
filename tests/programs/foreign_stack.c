/* MPI called by coroutines, each on a stack of its own on the heap, and after jumps out of deep calls: a rank blocks and goes on
 * wherever its stack pointer is. */
/* explore: ranks=3 verdict=race-free */
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

enum { STACK_BYTES = 256 << 10 };

static ucontext_t home, routine[2];
static int sum;

static void receive_three(void) {
    for (int i = 0; i < 3; i++) {
        int value;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += value;
        static int turn;
        ucontext_t *from = &routine[turn];
        turn = !turn;
        swapcontext(from, &home);
    }
}

static jmp_buf place;
static void jump_out(int depth) {
    if (depth == 0) {
        MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        longjmp(place, 1);
    }
    jump_out(depth - 1);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < 2; i++) {
            getcontext(&routine[i]);
            routine[i].uc_stack.ss_sp = malloc(STACK_BYTES);
            routine[i].uc_stack.ss_size = STACK_BYTES;
            routine[i].uc_link = &home;
            makecontext(&routine[i], receive_three, 0);
        }
        for (int i = 0; i < 6; i++)
            swapcontext(&home, &routine[i % 2]);
        if (setjmp(place) == 0)
            jump_out(10);
        printf("sum %d\n", sum);
    } else {
        for (int i = 0; i < 3; i++)
            MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        if (rank == 1)
            MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
