/* Each rank sends a number to all and receives as many from anyone; then all enter a barrier, and the next phase begins. All has been
 * sent when the first receives, and nobody sends again before all have received: so the graph has to be the sum of the ranks' and of the
 * phases', each 2^n - 1 sets of numbers received, and the end. Of 4 ranks 60 states a phase. */
/* explore: ranks=4 args=1 states=61 verdict=race-free proof=state-graph */
/* explore: ranks=4 args=1 states=60 verdict=undecided proof=state-graph */
/* explore: ranks=4 args=4 states=241 verdict=race-free proof=state-graph */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANKS_MOST = 64 };

static int exchange(int rank, int ranks) {
    MPI_Request request[RANKS_MOST];
    MPI_Status status[RANKS_MOST];
    int sum = 0;
    for (int to = 0; to < ranks; to++)
        MPI_Isend(&rank, 1, MPI_INT, to, 0, MPI_COMM_WORLD, &request[to]);
    for (int i = 0; i < ranks; i++) {
        static int number; /* cleared, so that nothing remembers which came last */
        MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += number;
        number = 0;
    }
    MPI_Waitall(ranks, request, status);
    return sum;
}

int main(int argc, char **argv) {
    int rank, ranks, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > RANKS_MOST)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int phase = argc > 1 ? atoi(argv[1]) : 1; phase > 0; phase--) {
        sum += exchange(rank, ranks);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    printf("%d\n", sum);
    MPI_Finalize();
    return 0;
}
