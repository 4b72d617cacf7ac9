/* Rank 0 looks at a number that is still to come, which is 0 until then, in its fiftieth exchange with rank 1. Nothing comes of it
 * as long as it is 0, and in a real run it mostly still is; anything else makes it crash, loop, end, be killed, or print a lot. With
 * "after" it looks once the number has come: rank 1 always sends 0. */
/* explore: ranks=2 verdict=found class=buffer-in-use args=crash */
/* explore: ranks=2 verdict=found class=buffer-in-use args=loop step-time=1s */
/* explore: ranks=2 verdict=found class=buffer-in-use args=end */
/* explore: ranks=2 verdict=found class=buffer-in-use args=killed */
/* explore: ranks=2 verdict=found class=buffer-in-use args=print */
/* explore: ranks=2 verdict=race-free args=crash-after */
/* explore: ranks=2 verdict=race-free args=loop-after step-time=1s */
/* explore: ranks=2 verdict=race-free args=end-after */
/* explore: ranks=2 verdict=race-free args=killed-after */
/* explore: ranks=2 verdict=race-free args=print-after */
#include <mpi.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXCHANGES = 100, LINES = 100000 };

static int table[16];

static void look_at(volatile int *number, const char *what) {
    if (strncmp(what, "crash", 5) == 0)
        table[0] += table[(ptrdiff_t)*number << 32];
    while (strncmp(what, "loop", 4) == 0 && *number != 0)
        continue;
    if (strncmp(what, "end", 3) == 0 && *number != 0)
        exit(0);
    if (strncmp(what, "killed", 6) == 0 && *number != 0)
        kill(getpid(), SIGKILL);
    for (int line = 0; strncmp(what, "print", 5) == 0 && *number != 0 && line < LINES; line++)
        printf("%d\n", line);
}

int main(int argc, char **argv) {
    int rank, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *what = argc > 1 ? argv[1] : "";
    const int after = strstr(what, "-after") != NULL;
    for (int i = 0; i < EXCHANGES; i++) {
        int own = rank * i, other = 0;
        MPI_Request request[2];
        MPI_Irecv(&other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(rank == 0 ? &own : &table[0], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
        if (rank == 0 && i == 50 && !after)
            look_at(&other, what);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        if (rank == 0 && i == 50 && after)
            look_at(&other, what);
        sum += other;
    }
    printf("%d\n", sum);
    MPI_Finalize();
    return 0;
}
