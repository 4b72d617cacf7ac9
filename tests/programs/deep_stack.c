/* explore: ranks=2 verdict=race-free */
/* explore: ranks=2 verdict=found class=crash args=2000 mpiexec=no */
/* Calls itself, in frames of 1 MiB, as often as the argument says (5 times), and at the deepest place and on the way back sends what
 * lies in the frames: they are part of the local state, however deep. 2000 times is more than any stack has room for. */
#include <mpi.h>
#include <stdlib.h>

enum { FRAME = 1 << 20 };

static int rank;

static void exchange(const volatile char *mine) {
    int sent = *mine, received;
    MPI_Sendrecv(&sent, 1, MPI_INT, 1 - rank, 0, &received, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (received != sent + (rank ? -1 : 1))
        exit(3);
}

static void descend(int depth) {
    volatile char frame[FRAME];
    frame[0] = (char)(depth % 100 + rank);
    frame[FRAME - 1] = frame[0];
    if (depth > 0)
        descend(depth - 1);
    exchange(&frame[0]);
    exchange(&frame[FRAME - 1]);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    descend(argc > 1 ? atoi(argv[1]) : 5);
    MPI_Finalize();
    return 0;
}
