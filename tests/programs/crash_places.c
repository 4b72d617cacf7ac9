/* Rank 1 crashes in the way that its argument says: the place reported is the line of this program, not of the library that it
 * called; of a function of MPI it is that function. */
/* explore: ranks=2 verdict=found class=crash args=memset says=crash_places.c:23 */
/* explore: ranks=2 verdict=found class=crash args=assert says=crash_places.c:28 */
/* explore: ranks=2 verdict=found class=crash args=abort says=crash_places.c:32 */
/* explore: ranks=2 verdict=found class=crash args=jump says=crash_places.c:37 */
/* explore: ranks=2 verdict=found class=crash args=direct says=crash_places.c:41 */
/* explore: ranks=2 verdict=found class=crash args=deep says=deep */
/* explore: ranks=2 verdict=found class=exit-status args=exit says=crash_places.c:51 */
/* explore: ranks=2 verdict=found class=crash args=unpack says=MPI_Unpack, */
/* explore: ranks=2 verdict=found class=crash args=send says=MPI_Send, */
/* explore: ranks=2 verdict=race-free args=none */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int zero;

__attribute__((noinline)) static void fill(char *at) {
    /* Larger than what compilers expand in place. */
    memset(at, 1, 100000u + (unsigned)zero);
    zero = 0;
}

__attribute__((noinline)) static void check(int value) {
    assert(value == 0);
    zero = 0;
}

__attribute__((noinline)) static void give_up(void) { abort(); }

/* Through a pointer that leads nowhere. */
__attribute__((noinline)) static void jump(void) {
    void (*volatile nowhere)(void) = (void (*)(void))64;
    nowhere();
    zero = 0;
}

__attribute__((noinline)) static void direct(void) { *(volatile int *)16 = 1; }

__attribute__((noinline)) static int deep(int depth) {
    volatile char room[4096];
    room[depth % 4096] = 1;
    return depth < 0 ? 0 : deep(depth + 1) + room[depth % 4096]; /* to the end of the stack */
}

__attribute__((noinline)) static void leave(void) {
    /* From here on. */
    exit(3);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    const char *way = rank == 1 && argc > 1 ? argv[1] : "none";
    if (!strcmp(way, "memset"))
        fill((char *)16);
    if (!strcmp(way, "assert"))
        check(1);
    if (!strcmp(way, "abort"))
        give_up();
    if (!strcmp(way, "jump"))
        jump();
    if (!strcmp(way, "direct"))
        direct();
    if (!strcmp(way, "deep"))
        zero = deep(0);
    if (!strcmp(way, "exit"))
        leave();
    int number = 0, position = 0;
    if (!strcmp(way, "unpack"))
        MPI_Unpack((void *)16, 8, &position, &number, 1, MPI_INT, MPI_COMM_WORLD);
    if (!strcmp(way, "send"))
        MPI_Send((void *)16, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
