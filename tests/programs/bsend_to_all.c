/* In each of three rounds all ranks attach a buffer, send to all others from it, receive from all others in their order, and detach it.
 * There is room for all messages: then it makes no difference which of them have been received when one is sent, and the ranks are
 * as good as independent: the graph has hardly more states than they have. The argument "short": in the last round there is room for
 * one less, and a rank may send the last one before any has been received (MPI-3.1 section 3.6). The argument "polls": instead, rank 0
 * sends itself messages until it has one of rank 1, from a buffer with room for a million: it comes back to where it was. */
/* explore: ranks=4 verdict=race-free states=8000 */
/* explore: ranks=4 verdict=found class=invalid-argument args=short says=attached mpiexec=no */
/* explore: ranks=2 verdict=race-free args=polls few-states=1 states=2000 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static void exchange(int rank, int ranks, int room) {
    int size = room * ((int)sizeof(int) + MPI_BSEND_OVERHEAD), number;
    void *buffer = malloc((size_t)size);
    MPI_Buffer_attach(buffer, size);
    for (int other = 0; other < ranks; other++) {
        if (other != rank)
            MPI_Bsend(&rank, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
    }
    for (int other = 0; other < ranks; other++) {
        if (other != rank)
            MPI_Recv(&number, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Buffer_detach(&buffer, &size);
    free(buffer);
}

static void say(int rank) { MPI_Bsend(&rank, 1, MPI_INT, 0, rank, MPI_COMM_WORLD); }

static void hear(int from) {
    int number;
    MPI_Recv(&number, 1, MPI_INT, from, from, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void poll(int rank) {
    int size = 1000000 * ((int)sizeof(int) + MPI_BSEND_OVERHEAD), there = rank;
    void *buffer = malloc((size_t)size);
    MPI_Buffer_attach(buffer, size);
    if (rank == 1)
        say(rank);
    while (!there) {
        say(rank);
        hear(rank);
        MPI_Iprobe(1, 1, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    }
    if (rank == 0)
        hear(1);
    MPI_Buffer_detach(&buffer, &size);
    free(buffer);
}

int main(int argc, char **argv) {
    enum { ROUNDS = 3 };
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int polls = argc > 1 && strcmp(argv[1], "polls") == 0;
    if (polls)
        poll(rank);
    for (int i = 0; !polls && i < ROUNDS; i++)
        exchange(rank, ranks, ranks - 1 - (argc > 1 && strcmp(argv[1], "short") == 0 && i == ROUNDS - 1));
    MPI_Finalize();
    return 0;
}
